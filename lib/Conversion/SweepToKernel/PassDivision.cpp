// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Square roots that are divided by something which all elements share, as every rule of Adam's
// family has them, without a division, in passes with so many divisions that the processor's one
// divider, not memory, would set the pace. The quotient is the one that IEEE 754 asks for, bit for
// bit.
//
// With y = 1 / d rounded once, q = x y, r = q d - x (exact, by a fused multiply-add), x / d is
// q - r y rounded once (Brisebarre, Muller and Raina 2004, "Accelerating correctly rounded
// floating-point division when the divisor is known in advance"; Markstein 1990) as long as nothing
// over- or underflows. The root of an f32 is 0 or between 2^-75 and 2^64, so with d between 2^-20
// and 2^20 every term is far from both. A root of 0 gives a zero of its sign, an infinite one is
// put back, a NaN stays one. Other divisors are divided by, in the loop for what is left of a
// chunk.
#include "PassEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sawtooth;

/// Divisions and square roots of an element from which on the divider sets the pace. LAMB's passes
/// have four and became a tenth faster; AdamW's has three, for which memory takes as long, and
/// became slower by the operations that come instead.
static constexpr int64_t kManyDivisions = 4;

/// Whether `op` divides the square root of an element by a value that all elements share, in a body
/// where that is worth while.
bool PassEmitter::dividesRoot(Operation &op) {
  auto usesDivider = [&](Operation &other) {
    return isa<arith::DivFOp, math::SqrtOp>(other) &&
           extents.lookup(other.getResult(0)) == Extent::Element;
  };
  if (llvm::count_if(op.getBlock()->without_terminator(), usesDivider) < kManyDivisions)
    return false;
  auto division = dyn_cast<arith::DivFOp>(op);
  if (!division || !division.getType().isF32() || !broadcasts.contains(division.getRhs()))
    return false;
  auto root = division.getLhs().getDefiningOp<math::SqrtOp>();
  return root && extents.lookup(root) == Extent::Element;
}

/// Computes what the divisors have in common for the chunk at hand, and whether all are fit for it:
/// i1, or null when the body has no such division.
Value PassEmitter::prepareDivisors() {
  reciprocals.clear();
  Value fit;
  auto constant = [&](float value) {
    return arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(value));
  };
  auto both = [&](Value a, Value b) {
    return a ? arith::AndIOp::create(builder, location, a, b).getResult() : b;
  };
  auto is = [&](arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, location, predicate, a, b).getResult();
  };
  for (Operation &op : pass.getBody().front().without_terminator()) {
    if (!dividesRoot(op))
      continue;
    Value divisor = cast<arith::DivFOp>(op).getRhs(), scalar = uniform.lookup(divisor);
    if (reciprocals.contains(divisor))
      continue;
    Value inverse = arith::DivFOp::create(builder, location, constant(1.0f), scalar);
    reciprocals[divisor] =
        vector::BroadcastOp::create(builder, location, vectorOf(builder.getF32Type()), inverse);
    fit = both(fit, is(arith::CmpFPredicate::OGE, scalar, constant(0x1p-20f)));
    fit = both(fit, is(arith::CmpFPredicate::OLE, scalar, constant(0x1p20f)));
    // The reciprocal of 2 - 2^-23, and of its products with powers of two, is not close enough.
    Value bits = arith::BitcastOp::create(builder, location, builder.getI32Type(), scalar);
    Value ones =
        arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(0x007fffff));
    Value mantissa = arith::AndIOp::create(builder, location, bits, ones);
    fit = both(fit,
               arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, mantissa, ones));
  }
  return fit;
}

/// The quotient of a vector of roots and a divisor of the body.
Value PassEmitter::divideRoot(Value root, Value divisor) {
  Value d = splats.lookup(divisor), y = reciprocals.lookup(divisor);
  auto negative = [&](Value x) { return arith::NegFOp::create(builder, location, x); };
  Value q = arith::MulFOp::create(builder, location, root, y);
  Value r = math::FmaOp::create(builder, location, q, d, negative(root));
  Value quotient = math::FmaOp::create(builder, location, negative(r), y, q);
  auto type = cast<VectorType>(root.getType());
  auto infinity = APFloat::getInf(APFloat::IEEEsingle());
  Value infinite = arith::ConstantOp::create(
      builder, location,
      DenseElementsAttr::get(type,
                             Attribute(builder.getFloatAttr(builder.getF32Type(), infinity))));
  Value isInfinite =
      arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OEQ, root, infinite);
  return arith::SelectOp::create(builder, location, isInfinite, infinite, quotient);
}
