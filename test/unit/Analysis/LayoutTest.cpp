// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Analysis/Layout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace sawtooth;

namespace {

class LayoutTest : public ::testing::Test {
protected:
  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  std::optional<Layout> layout;

  void parse(const char *text) {
    registry.insert<amp::AmpDialect, sweep::SweepDialect, arith::ArithDialect, func::FuncDialect,
                    tensor::TensorDialect>();
    context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
    module = parseSourceString<ModuleOp>(text, ParserConfig(context.get()));
    ASSERT_TRUE(module);
    FailureOr<Layout> computed = Layout::compute(*module);
    ASSERT_TRUE(succeeded(computed));
    layout = std::move(*computed);
  }
};

TEST_F(LayoutTest, NumbersTensorsByTheBytesOfTheirNamesOverAllSteps) {
  parse(R"(
    amp.model @m
    sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = #amp.required}
    sweep.list scratch @g : !amp.tensors<@m x f32> {label = "g", step = @b}
    func.func private @f(%x: tensor<3xf32>, %y: tensor<2x2xf32>) -> tensor<1xf32> {
      %0 = tensor.empty() : tensor<1xf32>
      return %0 : tensor<1xf32>
    }
    func.func private @h(%x: tensor<3xf32>) -> tensor<5xf32> {
      %0 = tensor.empty() : tensor<5xf32>
      return %0 : tensor<5xf32>
    }
    sweep.step @a() attributes {cut} {
      %l = sweep.forward @f() leaves [@w, @w] ["b", "a.weight"] packs [] [] : () -> f32
      sweep.scalar @final { %true = arith.constant true
        sweep.outcome %true [] }
    }
    sweep.step @b() attributes {cut} {
      sweep.forward @h() leaves [@w] ["b"] packs [@g] ["Z\C3\A9"] : () -> ()
      sweep.scalar @final { %true = arith.constant true
        sweep.outcome %true [] }
    }
  )");
  const ModelInfo &model = layout->models()[0];
  ASSERT_EQ(model.tensors.size(), 3u);
  EXPECT_EQ(model.tensors[0].name.getValue(), "Z\xc3\xa9"); // 'Z' before 'a'
  EXPECT_EQ(model.tensors[1].name.getValue(), "a.weight");
  EXPECT_EQ(model.tensors[2].name.getValue(), "b");
  EXPECT_EQ(model.tensors[1].dims, (SmallVector<int64_t>{2, 2}));
  EXPECT_EQ(layout->tensorNumber(0, StringAttr::get(context.get(), "b")), 2u);
  // The loss has a slot of step @a's frame beside the outcome's.
  const StepLayout &step = layout->steps()[0];
  EXPECT_EQ(step.frameBytes, 16u);
}

TEST_F(LayoutTest, KeepsEverythingThatCrossesACutApart) {
  parse(R"(
    amp.model @m
    amp.model @n
    sweep.list state @w : !amp.tensors<@m x f32> {label = "w", init = #amp.required}
    sweep.list state @v : !amp.tensors<@n x f32> {label = "v", init = #amp.required}
    sweep.field state @a : f32 {init = 0.0 : f32}
    sweep.field state @p : f64 {model = @m, init = 0.0 : f64}
    sweep.field state @b : i64 {init = 0 : i64}
    sweep.field state @q : f64 {model = @n, init = 0.0 : f64}
    sweep.step @s(%x: f64, %y: i1) attributes {cut} {
      %0, %1 = sweep.pass over @m reads [@w]
          writes [] [] [#sweep.reduction<add over step>, #sweep.reduction<add over tensor>] {
      ^bb0(%e: f32):
        sweep.leave reduce(%e, %e : f32, f32)
      } : f64, !sweep.per_tensor<@m x f64>
      %2 = sweep.pass over @n reads [@v] writes [] [] [#sweep.reduction<max over step>] {
      ^bb0(%e: f32):
        sweep.leave reduce(%e : f32)
      } : f64
      %3 = sweep.pass over @m reads [@w] writes [] [] [#sweep.reduction<min over step>] {
      ^bb0(%e: f32):
        sweep.leave reduce(%e : f32)
      } : f64
      %4, %5, %6 = sweep.scalar @mid {
        %each = sweep.each over @m(%1) : (!sweep.per_tensor<@m x f64>)
            -> !sweep.per_tensor<@m x f64> {
        ^bb0(%t: f64):
          sweep.yield %t : f64
        }
        sweep.yield %x, %each, %1 : f64, !sweep.per_tensor<@m x f64>, !sweep.per_tensor<@m x f64>
      } : f64, !sweep.per_tensor<@m x f64>, !sweep.per_tensor<@m x f64>
      %7 = sweep.pass over @m reads [@w] writes [] [] [#sweep.reduction<add over step>] {
      ^bb0(%e: f32):
        sweep.leave reduce(%e : f32)
      } : f64
      sweep.scalar @final {
        %true = arith.constant true
        sweep.log "x", %7 last : f64
        sweep.outcome %true []
      }
    }
  )");
  EXPECT_EQ(layout->stateBytes(), 16u);
  EXPECT_EQ(layout->perTensorFields(), 2u);
  const StepLayout &step = layout->steps()[0];
  EXPECT_EQ(step.argsBytes, 16u);
  // Two passes over one model before a fold have columns of their own; after it they start again.
  sweep::StepOp op = step.op;
  auto passes = llvm::to_vector(op.getOps<sweep::PassOp>());
  EXPECT_EQ(step.passes.at(passes[0]).firstColumn, 0u);
  EXPECT_EQ(step.passes.at(passes[1]).firstColumn, 0u);
  EXPECT_EQ(step.passes.at(passes[2]).firstColumn, 2u);
  EXPECT_EQ(step.passes.at(passes[3]).firstColumn, 0u);
  EXPECT_EQ(step.partials, 3u);
  // The outcome, five step values and a log.
  std::set<uint64_t> slots{step.applied};
  std::set<uint64_t> arrays;
  for (auto [value, place] : step.values)
    if (isa<sweep::PerTensorType>(value.getType()))
      arrays.insert(place);
    else
      slots.insert(place);
  for (auto [log, place] : step.logs)
    slots.insert(place);
  EXPECT_EQ(slots.size(), 7u);
  EXPECT_EQ(step.frameBytes, 56u);
  // Those behind the fields': the pass's and the each's; what a program hands on is no new one.
  EXPECT_EQ(arrays, (std::set<uint64_t>{2, 3}));
  EXPECT_EQ(step.perTensorSlots, 4u);
}

} // namespace
