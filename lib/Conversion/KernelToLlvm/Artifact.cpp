// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Conversion/Artifact.h"

#include "sawtooth/Conversion/PlanBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace sawtooth;

/// An internal constant whose value `build` returns.
static LLVM::GlobalOp addConstant(ImplicitLocOpBuilder &builder, Type type, StringRef name,
                                  llvm::function_ref<Value()> build) {
  auto global = LLVM::GlobalOp::create(builder, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                       name, /*value=*/Attribute(), /*alignment=*/8);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&global.getInitializerRegion().emplaceBlock());
  LLVM::ReturnOp::create(builder, build());
  return global;
}

/// The table of images, or a null pointer when there is none.
static LLVM::GlobalOp addImages(ImplicitLocOpBuilder &builder, ArrayAttr rows) {
  Type word = builder.getI32Type(), wide = builder.getI64Type();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto rowType = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                  {word, word, word, word, wide, pointer});
  auto table = LLVM::LLVMArrayType::get(rowType, rows.size());
  SmallVector<LLVM::GlobalOp> data;
  for (auto [i, row] : llvm::enumerate(rows.getAsRange<DictionaryAttr>())) {
    auto bytes = row.getAs<StringAttr>("data");
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.getValue().size());
    data.push_back(LLVM::GlobalOp::create(builder, type, /*isConstant=*/true,
                                          LLVM::Linkage::Internal,
                                          "sawtooth.image_" + std::to_string(i), bytes,
                                          /*alignment=*/8));
  }
  return addConstant(builder, table, kImagesAttr, [&]() -> Value {
    Value value = LLVM::UndefOp::create(builder, table);
    for (auto [i, row] : llvm::enumerate(rows.getAsRange<DictionaryAttr>())) {
      auto insert = [&](Value field, int64_t place) {
        value = LLVM::InsertValueOp::create(builder, value, field,
                                            ArrayRef<int64_t>{int64_t(i), place});
      };
      int64_t place = 0;
      for (StringRef name : {"kind", "chip", "suffix", "ptx"})
        insert(LLVM::ConstantOp::create(builder, word, row.getAs<IntegerAttr>(name)), place++);
      uint64_t bytes = row.getAs<StringAttr>("data").getValue().size();
      insert(LLVM::ConstantOp::create(builder, wide, builder.getI64IntegerAttr(int64_t(bytes))), 4);
      insert(LLVM::AddressOfOp::create(builder, data[i]), 5);
    }
    return value;
  });
}

LogicalResult sawtooth::addArtifact(ModuleOp module) {
  auto plan = module->getAttrOfType<StringAttr>(kPlanAttr);
  auto names = module->getAttrOfType<ArrayAttr>(kFunctionsAttr);
  if (!plan && !names)
    return success();
  if (!plan || !names)
    return module.emitError("expected both of the attributes ")
           << kPlanAttr << " and " << kFunctionsAttr << ", got one";

  auto builder = ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type word = builder.getI32Type();
  auto number = [&](uint32_t value) -> Value {
    return LLVM::ConstantOp::create(builder, word, builder.getI32IntegerAttr(value));
  };

  auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), plan.getValue().size());
  auto planGlobal = LLVM::GlobalOp::create(builder, bytes, /*isConstant=*/true,
                                           LLVM::Linkage::Internal, kPlanAttr, plan,
                                           /*alignment=*/8);

  auto table = LLVM::LLVMArrayType::get(pointer, names.size());
  LLVM::GlobalOp functions = addConstant(builder, table, kFunctionsAttr, [&]() -> Value {
    Value value = LLVM::UndefOp::create(builder, table);
    for (auto [i, name] : llvm::enumerate(names.getAsRange<FlatSymbolRefAttr>())) {
      Value address = LLVM::AddressOfOp::create(builder, pointer, name);
      value = LLVM::InsertValueOp::create(builder, value, address, ArrayRef<int64_t>{int64_t(i)});
    }
    return value;
  });

  auto images = module->getAttrOfType<ArrayAttr>(kImagesAttr);
  LLVM::GlobalOp imageTable = images ? addImages(builder, images) : LLVM::GlobalOp();

  auto artifactType = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), {word, word, pointer, pointer, builder.getI64Type(), pointer});
  LLVM::GlobalOp artifact = addConstant(builder, artifactType, "sawtooth.artifact", [&]() -> Value {
    Value value = LLVM::ZeroOp::create(builder, artifactType);
    value = LLVM::InsertValueOp::create(builder, value, number(SAWTOOTH_ABI_VERSION),
                                        ArrayRef<int64_t>{0});
    value = LLVM::InsertValueOp::create(builder, value, number(names.size()), ArrayRef<int64_t>{1});
    Value planAddress = LLVM::AddressOfOp::create(builder, planGlobal);
    value = LLVM::InsertValueOp::create(builder, value, planAddress, ArrayRef<int64_t>{2});
    Value tableAddress = LLVM::AddressOfOp::create(builder, functions);
    value = LLVM::InsertValueOp::create(builder, value, tableAddress, ArrayRef<int64_t>{3});
    if (!images)
      return value;
    Value count = LLVM::ConstantOp::create(builder, builder.getI64Type(),
                                           builder.getI64IntegerAttr(int64_t(images.size())));
    value = LLVM::InsertValueOp::create(builder, value, count, ArrayRef<int64_t>{4});
    Value imageAddress = LLVM::AddressOfOp::create(builder, imageTable);
    return LLVM::InsertValueOp::create(builder, value, imageAddress, ArrayRef<int64_t>{5});
  });

  auto query = LLVM::LLVMFuncOp::create(builder, "sawtooth_query",
                                        LLVM::LLVMFunctionType::get(pointer, {word}));
  builder.setInsertionPointToStart(query.addEntryBlock(builder));
  Value known = LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::eq, query.getArgument(0),
                                     number(SAWTOOTH_ABI_VERSION));
  Value address = LLVM::AddressOfOp::create(builder, artifact);
  Value none = LLVM::ZeroOp::create(builder, pointer);
  Value result = LLVM::SelectOp::create(builder, known, address, none);
  LLVM::ReturnOp::create(builder, result);
  module->removeAttr(kPlanAttr);
  module->removeAttr(kFunctionsAttr);
  module->removeAttr(kImagesAttr);
  return success();
}
