// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuObject.h"

#include "sawtooth/Conversion/Artifact.h"
#include "sawtooth/Conversion/PlanBuilder.h"
#include "sawtooth/Target/NVPTX/NVPTX.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sawtooth;

static StringRef dataOf(const SawtoothImage &image) {
  return {static_cast<const char *>(image.data), image.bytes};
}

static DictionaryAttr imageRow(Builder builder, const SawtoothImage &image) {
  auto number = [&](StringRef name, uint32_t value) {
    return builder.getNamedAttr(name, builder.getI32IntegerAttr(int32_t(value)));
  };
  return builder.getDictionaryAttr(
      {number("kind", image.kind), number("chip", image.chip), number("suffix", image.suffix),
       number("ptx", image.ptx),
       builder.getNamedAttr("data", builder.getStringAttr(dataOf(image)))});
}

LogicalResult GpuObject::add(const LoadedObject &code, const Chip &chip, StringRef ptxas,
                             Location location) {
  const SawtoothArtifact &artifact = *code.getArtifact();
  StringRef plan(reinterpret_cast<const char *>(artifact.plan), artifact.plan->bytes);
  if (empty())
    object.plan = plan.str();
  else if (plan != object.plan)
    return emitError(location, "internal error: ")
           << chip.name << " has another plan than " << object.chips.front();
  object.chips.push_back(chip.name);
  Builder builder(location.getContext());
  for (SawtoothImage image : ArrayRef(artifact.images, artifact.imageCount)) {
    images.push_back(imageRow(builder, image));
    if (ptxas.empty())
      continue;
    llvm::Expected<Cubin> cubin = assemblePTX(dataOf(image).drop_back(), chip.name, ptxas);
    if (!cubin) {
      emitWarning(location, "no cubin for ")
          << chip.name << ", PTX alone: " << llvm::toString(cubin.takeError());
      continue;
    }
    image.kind = SAWTOOTH_IMAGE_CUBIN;
    image.bytes = cubin->code.size();
    image.data = cubin->code.data();
    images.push_back(imageRow(builder, image));
    llvm::append_range(object.kernels, cubin->kernels);
  }
  return success();
}

FailureOr<ChipObject> GpuObject::emit(StringRef query, const TargetBackend &cpu, const Chip &host,
                                      Location location) const {
  MLIRContext *context = location.getContext();
  context->loadDialect<LLVM::LLVMDialect>();
  Builder builder(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  (*module)->setAttr(kPlanAttr, builder.getStringAttr(object.plan));
  (*module)->setAttr(kFunctionsAttr, builder.getArrayAttr({}));
  (*module)->setAttr(kImagesAttr, builder.getArrayAttr(images));
  if (failed(addArtifact(*module)))
    return failure();
  module->lookupSymbol<LLVM::LLVMFuncOp>("sawtooth_query").setSymName(query);
  FailureOr<std::string> code = cpu.emit(*module, host, OutputKind::Object);
  if (failed(code))
    return failure();
  ChipObject whole = object;
  whole.query = query.str();
  whole.object = std::move(*code);
  return whole;
}
