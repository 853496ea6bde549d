// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Jit.h"

#include "sawtooth/Target/CPU/CPU.h"
#include "sawtooth/Transforms/Passes.h"

#include "amp/Amp.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace sawtooth::test;

struct Jit::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

Jit::Jit(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Jit::~Jit() = default;

static FailureOr<std::string> toObject(const std::string &text, const std::string &chipName) {
  std::unique_ptr<sawtooth::TargetBackend> backend = sawtooth::createCPUBackend();
  DialectRegistry registry;
  registry.insert<sawtooth::amp::AmpDialect, arith::ArithDialect, func::FuncDialect,
                  LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect, vector::VectorDialect>();
  backend->registerTranslations(registry);
  MLIRContext context(registry);
  FailureOr<sawtooth::Chip> chip = backend->resolveChip(chipName, UnknownLoc::get(&context));
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (failed(chip) || !module)
    return failure();
  PassManager pm(&context);
  pm.addPass(sawtooth::createExpandMath());
  pm.addPass(sawtooth::createExpandFloatCasts());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  if (failed(pm.run(*module)))
    return failure();
  return backend->emit(*module, *chip, sawtooth::OutputKind::Object);
}

std::unique_ptr<Jit> Jit::compile(const std::string &text, const std::string &chip) {
  FailureOr<std::string> object = toObject(text, chip);
  if (failed(object))
    return nullptr;
  auto report = [](llvm::Error error) {
    llvm::logAllUnhandledErrors(std::move(error), llvm::errs(), "jit: ");
    return nullptr;
  };
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return report(jit.takeError());
  if (llvm::Error error =
          (*jit)->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(*object, "jit")))
    return report(std::move(error));
  auto impl = std::make_unique<Impl>();
  impl->jit = std::move(*jit);
  return std::unique_ptr<Jit>(new Jit(std::move(impl)));
}

uint64_t Jit::address(const char *name) const {
  llvm::Expected<llvm::orc::ExecutorAddr> symbol = impl->jit->lookup(name);
  if (symbol)
    return symbol->getValue();
  llvm::logAllUnhandledErrors(symbol.takeError(), llvm::errs(), "jit: ");
  return 0;
}

std::string sawtooth::test::elementwise(const std::string &name, const std::string &body,
                                        const std::string &from, const std::string &to, int width) {
  auto shaped = [&](const std::string &type) {
    return width == 1 ? type : "vector<" + std::to_string(width) + "x" + type + ">";
  };
  std::string text = body;
  for (auto [word, type] : {std::pair("FROM", shaped(from)), std::pair("TO", shaped(to))})
    for (size_t at; (at = text.find(word)) != std::string::npos;)
      text.replace(at, std::string(word).size(), type);
  std::string step = std::to_string(width);
  return "func.func @" + name + "(%in: !llvm.ptr, %out: !llvm.ptr, %n: i64) {\n" +
         "  %zero = arith.constant 0 : i64\n  %step = arith.constant " + step + " : i64\n" +
         "  scf.for %i = %zero to %n step %step : i64 {\n" +
         "    %p = llvm.getelementptr %in[%i] : (!llvm.ptr, i64) -> !llvm.ptr, " + from + "\n" +
         "    %q = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, " + to + "\n" +
         "    %x = llvm.load %p {alignment = 1 : i64} : !llvm.ptr -> " + shaped(from) + "\n" +
         "    " + text + "\n" + "    llvm.store %y, %q {alignment = 1 : i64} : " + shaped(to) +
         ", !llvm.ptr\n" + "  }\n  return\n}\n";
}
