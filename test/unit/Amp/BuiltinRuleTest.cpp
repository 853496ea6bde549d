// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The built-in rules by their own text, without any code generation: operations are evaluated by
// upstream's constant folder. Values expected are the case list's, or exact arithmetic.
#include "amp/Builtins.h"
#include "amp/Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace sawtooth::amp;

namespace {

/// An optimizer or scaler of a built-in rule, with its state.
class BuiltinRule : public testing::Test {
protected:
  void load(StringRef name, StringRef settings) {
    context.loadDialect<AmpDialect, arith::ArithDialect, math::MathDialect>();
    const Builtin *builtin = findBuiltin(name);
    ASSERT_TRUE(builtin);
    std::string instance =
        builtin->kind == "policy" ? "amp.scaler @x by @" : "amp.optimizer @x by @";
    instance += name.str() + (builtin->kind == "policy" ? " " : " over @m ") + settings.str();
    module =
        parseSourceString<ModuleOp>(builtin->text.str() + "amp.model @m\n" + instance, &context);
    ASSERT_TRUE(module);
    rule = *module->getOps<RuleOp>().begin();
    FailureOr<RuleInstance> resolved = failure();
    if (builtin->kind == "policy")
      resolved = resolveInstance(*module->getOps<ScalerOp>().begin(), rule);
    else
      resolved = resolveInstance(*module->getOps<OptimizerOp>().begin(), rule);
    ASSERT_TRUE(succeeded(resolved));
    values.clear();
    for (const ParamSetting &setting : resolved->params)
      values[setting.param.getName().str()] = setting.constant;
    for (auto [field, initial] :
         llvm::zip_equal(rule.getStates().getAsRange<FieldAttr>(), resolved->initial))
      values[field.getName().str()] = initial;
  }

  /// Runs the rule; `values` then holds the new state and, as "w", the first result.
  void step() {
    llvm::DenseMap<Value, Attribute> known;
    for (auto [param, argument] :
         llvm::zip_equal(rule.getParams().getAsRange<ParamAttr>(), rule.getParamArguments()))
      known[argument] = values.at(param.getName().getValue().str());
    for (auto [field, argument] :
         llvm::zip_equal(rule.getStates().getAsRange<FieldAttr>(), rule.getStateArguments()))
      known[argument] = values.at(field.getName().getValue().str());
    for (auto [name, argument] :
         llvm::zip_equal(rule.getInputs().getAsValueRange<StringAttr>(), rule.getInputArguments()))
      known[argument] = values.at(name.str());
    for (Operation &op : rule.getBody().front().without_terminator())
      evaluate(op, known);
    auto yield = cast<YieldOp>(rule.getBody().front().getTerminator());
    for (auto [field, value] :
         llvm::zip_equal(rule.getStates().getAsRange<FieldAttr>(), yield.getStates()))
      values[field.getName().getValue().str()] = known.at(value);
    if (!yield.getResults().empty())
      values["w"] = known.at(yield.getResults().front());
  }

  void evaluate(Operation &op, llvm::DenseMap<Value, Attribute> &known) {
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known.at(operand));
    if (auto power = dyn_cast<PowiOp>(op)) {
      double result = 1.0;
      for (int64_t i = cast<IntegerAttr>(operands[1]).getInt(); i > 0; --i)
        result *= cast<FloatAttr>(operands[0]).getValueAsDouble();
      known[power.getResult()] = FloatAttr::get(power.getResult().getType(), result);
      return;
    }
    // A model of one tensor of one element: a sum is the element.
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      known[reduce.getResult()] = FloatAttr::get(reduce.getResult().getType(),
                                                 cast<FloatAttr>(operands[0]).getValueAsDouble());
      return;
    }
    // The folder narrows only what is exact.
    if (auto narrow = dyn_cast<arith::TruncFOp>(op)) {
      known[narrow.getResult()] = FloatAttr::get(
          narrow.getType(), static_cast<float>(cast<FloatAttr>(operands[0]).getValueAsDouble()));
      return;
    }
    SmallVector<OpFoldResult> results;
    ASSERT_TRUE(succeeded(op.fold(operands, results))) << op.getName().getStringRef().str();
    OpFoldResult result = results.front();
    if (auto value = dyn_cast<Value>(result))
      known[op.getResult(0)] = known.at(value);
    else
      known[op.getResult(0)] = cast<Attribute>(result);
  }

  void set(StringRef name, double value) {
    values[name.str()] = FloatAttr::get(
        name == "w" || name == "g" ? Type(Float32Type::get(&context)) : Float64Type::get(&context),
        value);
  }
  double number(StringRef name) {
    return cast<FloatAttr>(values.at(name.str())).getValueAsDouble();
  }
  int64_t count(StringRef name) { return cast<IntegerAttr>(values.at(name.str())).getInt(); }
  bool truth(StringRef name) { return cast<BoolAttr>(values.at(name.str())).getValue(); }

  /// One update of a policy; gives the scale after it.
  double update(bool ok) {
    values["ok"] = BoolAttr::get(&context, ok);
    step();
    return number("scale");
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  RuleOp rule;
  std::map<std::string, Attribute> values;
};

//===------------------------------------------------------------------------------------------===//
// Policies
//===------------------------------------------------------------------------------------------===//

TEST_F(BuiltinRule, PytorchHasPytorchsDefaults) {
  load("pytorch", "");
  EXPECT_EQ(number("scale"), 65536.0);
  EXPECT_EQ(number("growth"), 2.0);
  EXPECT_EQ(number("backoff"), 0.5);
  EXPECT_EQ(count("growth_interval"), 2000);
  EXPECT_EQ(count("tracker"), 0);
}

TEST_F(BuiltinRule, B01ScaleStaysFinite) {
  load("pytorch", "{init = 8.507059173023461e37, growth_interval = 1}");
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(update(true), 0x1p127);
  EXPECT_EQ(update(false), 0x1p126);
  load("pytorch", "{growth = 10.0, growth_interval = 1, max_scale = 3.5e38}");
  double before = 65536.0;
  for (int i = 0; i < 70; ++i) {
    double after = update(true);
    EXPECT_TRUE(std::isfinite(after));
    EXPECT_GE(after, before);
    EXPECT_EQ(count("tracker"), 0);
    before = after;
  }
}

TEST_F(BuiltinRule, B02ScaleHasAFloorAndSaysThatItIsStuck) {
  load("pytorch", "{min_scale = 1.0, max_consecutive_skips = 17}");
  double expected = 65536.0;
  for (int skip = 1; skip <= 20; ++skip) {
    expected = std::max(1.0, expected / 2);
    EXPECT_EQ(update(false), expected);
    EXPECT_EQ(truth("stuck"), skip >= 17);
    EXPECT_EQ(count("consecutive_skips"), skip);
  }
  EXPECT_EQ(update(true), 1.0);
  EXPECT_FALSE(truth("stuck"));
  EXPECT_EQ(count("consecutive_skips"), 0);
  EXPECT_EQ(count("skipped"), 20);
}

TEST_F(BuiltinRule, GrowthComesWhenItIsDueAndAfterAShortenedInterval) {
  load("pytorch", "{growth_interval = 3}");
  EXPECT_EQ(update(true), 65536.0);
  EXPECT_EQ(update(true), 65536.0);
  EXPECT_EQ(update(true), 131072.0);
  EXPECT_EQ(update(true), 131072.0);
  EXPECT_EQ(update(false), 65536.0);
  EXPECT_EQ(count("tracker"), 0);
  for (int i = 0; i < 2; ++i)
    update(true);
  values["growth_interval"] = IntegerAttr::get(IntegerType::get(&context, 64), 2);
  EXPECT_EQ(update(true), 131072.0);
}

TEST_F(BuiltinRule, ProductsAreRoundedOnce) {
  // 1024 · 1.1 in f64 is 1126.4 and a bit; its nearest f32 is 0x448CCCCD.
  load("pytorch", "{init = 1024.0, growth = 1.1, growth_interval = 1}");
  EXPECT_EQ(update(true), double(float(1024.0 * 1.1)));
}

TEST_F(BuiltinRule, NoParameterMakesTheScaleNonFinite) {
  load("pytorch", "{min_scale = 0x7FF0000000000000 : f64}");
  EXPECT_EQ(update(false), 65536.0);
  load("pytorch", "{backoff = 0x7FF8000000000000 : f64}");
  EXPECT_EQ(update(false), 65536.0);
  load("pytorch", "{growth = 0x7FF8000000000000 : f64, growth_interval = 1}");
  EXPECT_EQ(update(true), 65536.0);
}

TEST_F(BuiltinRule, StaticAndDisabledOnlyCount) {
  for (auto [name, scale] : {std::pair{"static", 128.0}, std::pair{"disabled", 1.0}}) {
    load(name, StringRef(name) == "static" ? "{init = 128.0}" : "");
    EXPECT_EQ(update(false), scale);
    EXPECT_EQ(update(false), scale);
    EXPECT_EQ(update(true), scale);
    EXPECT_EQ(count("skipped"), 2);
    EXPECT_EQ(count("consecutive_skips"), 0);
  }
}

//===------------------------------------------------------------------------------------------===//
// Optimizers
//===------------------------------------------------------------------------------------------===//

TEST_F(BuiltinRule, AdamsFirstSteps) {
  load("adam", "");
  set("lr", 1e-3);
  set("w", 1.0);
  set("g", 0.1f);
  step();
  EXPECT_EQ(float(number("w")), 0.999f);
  EXPECT_EQ(count("t"), 1);
  set("w", 0.0);
  set("g", 0.0);
  step();
  // The case list's 6.7005816e-4, within an f32 rounding or two.
  EXPECT_NEAR(number("w"), -6.7005816e-4, 2e-10);
}

TEST_F(BuiltinRule, AdamsLargeWeightOfTheGradientStartsFromIt) {
  load("adam", "{beta1 = 0.0}");
  set("lr", 1e-3);
  set("w", 1.0);
  values["m"] = FloatAttr::get(Float32Type::get(&context), 1e8);
  set("g", 1.0);
  step();
  EXPECT_EQ(number("m"), 1.0); // m + 1 · (d - m) would be 0 or 8
}

TEST_F(BuiltinRule, AdamwDecaysBeforeTheStep) {
  load("adamw", "{weight_decay = 0.5}");
  set("lr", 0.5);
  set("w", 8.0);
  set("g", 0.0);
  step();
  EXPECT_EQ(number("w"), 6.0);
}

TEST_F(BuiltinRule, AmsgradKeepsTheLargestMoment) {
  load("adamw", "{amsgrad = true, beta2 = 0.5}");
  set("lr", 1e-3);
  set("w", 1.0);
  set("g", 2.0);
  step();
  EXPECT_EQ(number("vmax"), 2.0);
  set("g", 0.0);
  step();
  EXPECT_EQ(number("v"), 1.0);
  EXPECT_EQ(number("vmax"), 2.0);
}

TEST_F(BuiltinRule, SgdTakesTheFirstDirectionUndampened) {
  load("sgd", "{momentum = 0.5, dampening = 0.75}");
  set("lr", 1.0);
  set("w", 0.0);
  set("g", 4.0);
  step();
  EXPECT_EQ(number("b"), 4.0);
  EXPECT_EQ(number("w"), -4.0);
  step();
  EXPECT_EQ(number("b"), 3.0); // 0.5 · 4 + 0.25 · 4
  EXPECT_EQ(number("w"), -7.0);
}

TEST_F(BuiltinRule, NesterovLooksAhead) {
  load("sgd", "{momentum = 0.5, nesterov = true}");
  set("lr", 1.0);
  set("w", 0.0);
  set("g", 4.0);
  step();
  EXPECT_EQ(number("w"), -6.0); // d + 0.5 · b
}

TEST_F(BuiltinRule, SgdWithoutMomentumIgnoresDampening) {
  for (StringRef settings : {"{dampening = 0.75}", "{dampening = 0.75, has_momentum = false}"}) {
    load("sgd", settings);
    set("lr", 1.0);
    set("w", 0.0);
    set("g", 4.0);
    step();
    step();
    EXPECT_EQ(number("w"), -8.0) << settings.str();
  }
}

TEST_F(BuiltinRule, DecayOfNothingDoesNotTouchTheWeights) {
  for (StringRef name : {"sgd", "adam"}) {
    load(name, "{weight_decay = 0.0}");
    set("lr", 0.0);
    set("w", HUGE_VAL);
    set("g", 1.0);
    step();
    EXPECT_EQ(number("w"), HUGE_VAL) << name.str(); // 0 · inf would make it NaN
  }
}

TEST_F(BuiltinRule, LionsSignOfZeroIsZero) {
  load("lion", "");
  set("lr", 0.5);
  for (auto [g, w] : {std::pair{0.0, 1.0}, {3.0, 0.5}, {-3.0, 1.5}}) {
    values["m"] = FloatAttr::get(Float32Type::get(&context), 0.0);
    set("w", 1.0);
    set("g", g);
    step();
    EXPECT_EQ(number("w"), w);
  }
}

TEST_F(BuiltinRule, LambsRatioIsOneWithoutANorm) {
  load("lamb", "{beta1 = 0.0, beta2 = 0.0, eps = 0.0}");
  set("lr", 0.5);
  set("w", 0.0);
  set("g", 2.0);
  step();
  EXPECT_EQ(number("w"), -0.5); // u = 1, |w| = 0
}

TEST_F(BuiltinRule, LambsRatioScalesTheStep) {
  for (auto [settings, expected] :
       {std::pair{"{beta1 = 0.0, beta2 = 0.0, eps = 0.0}", 2.0},
        std::pair{"{beta1 = 0.0, beta2 = 0.0, eps = 0.0, always_adapt = false}", 3.5}}) {
    load("lamb", settings);
    set("lr", 0.5);
    set("w", 4.0);
    set("g", 2.0);
    // One element whose square stands for the sum: |w| = 4, |u| = 1.
    step();
    EXPECT_EQ(number("w"), expected) << settings;
  }
}

TEST_F(BuiltinRule, MaximisingTurnsTheGradientAround) {
  for (const char *name : {"sgd", "adam", "adamw", "lion", "lamb"}) {
    double moved[2];
    for (bool maximize : {false, true}) {
      load(name, maximize ? "{maximize = true, weight_decay = 0.0}" : "{weight_decay = 0.0}");
      set("lr", 0.25);
      set("w", 0.0);
      set("g", 2.0);
      step();
      moved[maximize] = number("w");
    }
    EXPECT_LT(moved[0], 0.0) << name;
    EXPECT_EQ(moved[0], -moved[1]) << name;
  }
}

} // namespace
