// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SAWTOOTH_LIB_COMPILER_DIAGNOSTICS_H
#define SAWTOOTH_LIB_COMPILER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <string>

namespace sawtooth {

/// Hands each diagnostic of a context, with its notes and the source line, to a function.
class DiagnosticForwarder : public mlir::SourceMgrDiagnosticHandler {
public:
  DiagnosticForwarder(llvm::SourceMgr &sources, mlir::MLIRContext &context,
                      std::function<void(llvm::StringRef)> receiver)
      : SourceMgrDiagnosticHandler(sources, &context, stream), stream(text),
        receiver(std::move(receiver)) {
    setHandler([this](mlir::Diagnostic &diagnostic) {
      emitDiagnostic(diagnostic); // with its notes, and the calls of layers that it came through
      if (this->receiver)
        this->receiver(text);
      text.clear();
    });
  }

private:
  std::string text;
  llvm::raw_string_ostream stream; // unbuffered: `text` is complete after each call
  std::function<void(llvm::StringRef)> receiver;
};

} // namespace sawtooth

#endif // SAWTOOTH_LIB_COMPILER_DIAGNOSTICS_H
