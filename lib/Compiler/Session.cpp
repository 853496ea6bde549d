// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Compiler/Session.h"

#include "Diagnostics.h"

#include "sawtooth/InitAll.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace sawtooth;

Session::Session(SessionOptions options) : options(std::move(options)) {
  targets.add(createCPUBackend());
}

std::unique_ptr<LoadedObject> Session::compileFile(StringRef path) {
  Chip chip;
  std::unique_ptr<LoadedObject> loaded;
  if (failed(run(path, Stage::Object, chip, &loaded)))
    return nullptr;
  return loaded;
}

FailureOr<std::string> Session::emitFile(StringRef path, std::optional<Stage> stage) {
  Chip chip;
  return run(path, stage, chip, /*loaded=*/nullptr);
}

FailureOr<std::string> Session::run(StringRef path, std::optional<Stage> stage, Chip &chip,
                                    std::unique_ptr<LoadedObject> *loaded) {
  DialectRegistry registry;
  registerAllDialects(registry);
  targets.registerTranslations(registry);
  // One module with a few short functions: threads would cost more than they bring.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // Diagnostics show the user's file; the op in its state between passes would be noise.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  DiagnosticForwarder forwarder(sources, context, options.diagnostic);

  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    if (options.diagnostic)
      options.diagnostic(
          ("error: cannot read '" + path + "': " + buffer.getError().message() + "\n").str());
    return failure();
  }
  Location file = FileLineColLoc::get(&context, path, 0, 0);
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  const TargetBackend *backend = targets.find(options.target, file);
  if (!backend)
    return failure();
  FailureOr<Chip> resolved = backend->resolveChip(options.chip, file);
  if (failed(resolved))
    return failure();
  chip = *resolved;

  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return failure();
  PassManager passes(&context);
  buildCPUPipeline(passes, {options.batch, chip.width, chip.name}, stage.value_or(Stage::Kernel));
  if (failed(passes.run(*module)))
    return failure();
  if (!stage)
    return std::string();
  if (*stage < Stage::LLVM) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    stream << '\n';
    return text;
  }
  OutputKind kind = *stage == Stage::LLVM       ? OutputKind::LLVM
                    : *stage == Stage::Assembly ? OutputKind::Assembly
                                                : OutputKind::Object;
  FailureOr<std::string> output = backend->emit(*module, chip, kind);
  if (succeeded(output) && loaded) {
    *loaded = LoadedObject::load(*output, chip, module->getLoc());
    if (!*loaded)
      return failure();
  }
  return output;
}
