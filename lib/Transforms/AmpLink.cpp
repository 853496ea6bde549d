// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LinkSources.h"
#include "OpaqueOperands.h"
#include "StripFastMath.h"
#include "amp/Names.h"
#include "amp/Verify.h"
#include "sawtooth/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

namespace sawtooth {
#define GEN_PASS_DEF_AMPLINK
#include "sawtooth/Transforms/Passes.h.inc"
} // namespace sawtooth

using namespace mlir;
using namespace sawtooth;
using namespace sawtooth::amp;

namespace {

/// A name that some operation needs a definition of.
struct Reference {
  Operation *user;
  FlatSymbolRefAttr name;
  StringRef kind; ///< "optimizer", "policy" or "layer"
};

/// The definitions that `root` names, in order.
void collectReferences(Operation *root, SmallVectorImpl<Reference> &references) {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](OptimizerOp op) { references.push_back({op, op.getRuleAttr(), "optimizer"}); })
        .Case([&](ScalerOp op) { references.push_back({op, op.getPolicyAttr(), "policy"}); })
        .Case([&](CallOp op) { references.push_back({op, op.getCalleeAttr(), "layer"}); })
        .Case([&](func::CallOp op) { references.push_back({op, op.getCalleeAttr(), "layer"}); });
  });
}

struct AmpLink : public ::sawtooth::impl::AmpLinkBase<AmpLink> {
  using AmpLinkBase::AmpLinkBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (ModuleOp inner : module.getOps<ModuleOp>()) {
      inner.emitError("expected declarations and steps in one module, got a module within it");
      return signalPassFailure();
    }
    LinkSources sources(&getContext());
    for (ImportOp import : llvm::make_early_inc_range(module.getOps<ImportOp>())) {
      if (failed(sources.addImport(import)))
        return signalPassFailure();
      import.erase();
    }
    if (recordImports)
      record(module, sources);
    if (failed(link(module, sources)))
      return signalPassFailure();
    flags += stripFastMath(module);
    makeOperandsOpaque(module);
  }

  static void record(ModuleOp module, const LinkSources &sources) {
    Builder builder(module.getContext());
    SmallVector<Attribute> files;
    for (const auto &[path, digest] : sources.getFilesRead())
      files.push_back(builder.getStrArrayAttr({path, digest}));
    module->setAttr("amp.imports", builder.getArrayAttr(files));
  }

  LogicalResult link(ModuleOp module, LinkSources &sources) {
    SymbolTable symbols(module);
    SmallVector<Reference> references;
    collectReferences(module, references);
    // Grows while it is walked: what is cloned in names things too.
    for (size_t i = 0; i < references.size(); ++i) {
      auto [user, name, kind] = references[i];
      if (symbols.lookup(name.getAttr()))
        continue;
      Operation *definition = sources.lookup(name.getValue());
      if (!definition) {
        InFlightDiagnostic diag = user->emitOpError("expected the name of ")
                                  << (kind == "optimizer" ? "an optimizer rule"
                                      : kind == "policy"  ? "a policy rule"
                                                          : "a layer")
                                  << ", got @" << name.getValue();
        describeChoices(diag, name.getValue(), sources.getNames(kind), "@");
        return diag;
      }
      // Layers stand in no step yet, whose verifier would ask this.
      if (failed(verifyAccumulation(definition)))
        return failure();
      Operation *clone = definition->clone();
      symbols.insert(clone, module.getBody()->end());
      if (auto function = dyn_cast<func::FuncOp>(clone))
        function.setPrivate();
      ++linked;
      collectReferences(clone, references);
    }
    return success();
  }
};

} // namespace
