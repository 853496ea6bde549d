// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostObject.h"

#include "sawtooth/Conversion/Artifact.h"
#include "sawtooth/Conversion/PlanBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sawtooth;

static DictionaryAttr imageRow(Builder &builder, const SawtoothImage &image) {
  auto number = [&](StringRef name, uint32_t value) {
    return builder.getNamedAttr(name, builder.getI32IntegerAttr(int32_t(value)));
  };
  StringRef data(static_cast<const char *>(image.data), image.bytes);
  return builder.getDictionaryAttr({number("kind", image.kind), number("chip", image.chip),
                                    number("suffix", image.suffix), number("ptx", image.ptx),
                                    builder.getNamedAttr("data", builder.getStringAttr(data))});
}

FailureOr<std::string> sawtooth::createHostObject(const SawtoothArtifact &artifact, StringRef query,
                                                  const TargetBackend &cpu, const Chip &chip,
                                                  Location location) {
  MLIRContext *context = location.getContext();
  context->loadDialect<LLVM::LLVMDialect>();
  Builder builder(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  StringRef plan(reinterpret_cast<const char *>(artifact.plan), artifact.plan->bytes);
  SmallVector<Attribute> images;
  for (const SawtoothImage &image : ArrayRef(artifact.images, artifact.imageCount))
    images.push_back(imageRow(builder, image));
  (*module)->setAttr(kPlanAttr, builder.getStringAttr(plan));
  (*module)->setAttr(kFunctionsAttr, builder.getArrayAttr({}));
  (*module)->setAttr(kImagesAttr, builder.getArrayAttr(images));
  if (failed(addArtifact(*module)))
    return failure();
  module->lookupSymbol<LLVM::LLVMFuncOp>("sawtooth_query").setSymName(query);
  return cpu.emit(*module, chip, OutputKind::Object);
}
