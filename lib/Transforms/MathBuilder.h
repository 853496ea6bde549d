// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes f64 arithmetic as IR, so that an expansion reads like its formula. Every operator makes
// one op; nothing is fused, folded or reordered, and the type may be f64 or a vector of it.
#ifndef SAWTOOTH_LIB_TRANSFORMS_MATHBUILDER_H
#define SAWTOOTH_LIB_TRANSFORMS_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

namespace sawtooth::expand {

/// The bits of the NaN that every expansion returns.
inline constexpr uint64_t canonicalNaN = 0x7ff8000000000000ull;
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// `type`, or a vector of it in the shape of `like`.
inline mlir::Type shapedLike(mlir::Type like, mlir::Type type) {
  auto vector = llvm::dyn_cast<mlir::VectorType>(like);
  return vector ? vector.clone(type) : type;
}

/// A constant of `type`, the same in all lanes of a vector.
inline mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::Type type, mlir::TypedAttr element) {
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
    element = mlir::DenseElementsAttr::get(vector, element);
  return mlir::arith::ConstantOp::create(b, element);
}

/// A truth value.
struct Flag {
  mlir::ImplicitLocOpBuilder *b;
  mlir::Value v;
};
inline Flag operator&(Flag x, Flag y) { return {x.b, mlir::arith::AndIOp::create(*x.b, x.v, y.v)}; }
inline Flag operator|(Flag x, Flag y) { return {x.b, mlir::arith::OrIOp::create(*x.b, x.v, y.v)}; }

/// An i64.
struct Whole {
  mlir::ImplicitLocOpBuilder *b;
  mlir::Value v;

  Whole same(int64_t value) const {
    return {b, splat(*b, v.getType(), b->getI64IntegerAttr(value))};
  }
};
inline Whole operator+(Whole x, Whole y) {
  return {x.b, mlir::arith::AddIOp::create(*x.b, x.v, y.v)};
}
inline Whole operator-(Whole x, Whole y) {
  return {x.b, mlir::arith::SubIOp::create(*x.b, x.v, y.v)};
}
inline Whole operator&(Whole x, Whole y) {
  return {x.b, mlir::arith::AndIOp::create(*x.b, x.v, y.v)};
}
inline Whole operator<<(Whole x, int n) {
  return {x.b, mlir::arith::ShLIOp::create(*x.b, x.v, x.same(n).v)};
}
inline Whole operator>>(Whole x, int n) {
  return {x.b, mlir::arith::ShRSIOp::create(*x.b, x.v, x.same(n).v)};
}
inline Whole operator+(Whole x, int64_t y) { return x + x.same(y); }
inline Whole operator-(Whole x, int64_t y) { return x - x.same(y); }
inline Whole operator&(Whole x, int64_t y) { return x & x.same(y); }
inline Flag equal(Whole x, int64_t y) {
  return {x.b, mlir::arith::CmpIOp::create(*x.b, mlir::arith::CmpIPredicate::eq, x.v, x.same(y).v)};
}

/// An f64.
struct Real {
  mlir::ImplicitLocOpBuilder *b;
  mlir::Value v;

  Real same(double value) const { return {b, splat(*b, v.getType(), b->getF64FloatAttr(value))}; }
};
inline Real operator+(Real x, Real y) { return {x.b, mlir::arith::AddFOp::create(*x.b, x.v, y.v)}; }
inline Real operator-(Real x, Real y) { return {x.b, mlir::arith::SubFOp::create(*x.b, x.v, y.v)}; }
inline Real operator*(Real x, Real y) { return {x.b, mlir::arith::MulFOp::create(*x.b, x.v, y.v)}; }
inline Real operator/(Real x, Real y) { return {x.b, mlir::arith::DivFOp::create(*x.b, x.v, y.v)}; }
inline Real operator+(Real x, double y) { return x + x.same(y); }
inline Real operator-(Real x, double y) { return x - x.same(y); }
inline Real operator*(Real x, double y) { return x * x.same(y); }
inline Real operator-(double x, Real y) { return y.same(x) - y; }
inline Real operator/(double x, Real y) { return y.same(x) / y; }
inline Real abs(Real x) { return {x.b, mlir::math::AbsFOp::create(*x.b, x.v)}; }
inline Real copysign(Real x, Real sign) {
  return {x.b, mlir::math::CopySignOp::create(*x.b, x.v, sign.v)};
}

inline Flag compare(mlir::arith::CmpFPredicate predicate, Real x, Real y) {
  return {x.b, mlir::arith::CmpFOp::create(*x.b, predicate, x.v, y.v)};
}
inline Flag operator<(Real x, double y) {
  return compare(mlir::arith::CmpFPredicate::OLT, x, x.same(y));
}
inline Flag operator>(Real x, double y) {
  return compare(mlir::arith::CmpFPredicate::OGT, x, x.same(y));
}
inline Flag operator>=(Real x, double y) {
  return compare(mlir::arith::CmpFPredicate::OGE, x, x.same(y));
}
inline Flag operator==(Real x, double y) {
  return compare(mlir::arith::CmpFPredicate::OEQ, x, x.same(y));
}
inline Flag operator==(Real x, Real y) { return compare(mlir::arith::CmpFPredicate::OEQ, x, y); }
inline Flag isNaN(Real x) { return compare(mlir::arith::CmpFPredicate::UNO, x, x); }

inline Real select(Flag flag, Real x, Real y) {
  return {x.b, mlir::arith::SelectOp::create(*x.b, flag.v, x.v, y.v)};
}
inline Real select(Flag flag, double x, Real y) { return select(flag, y.same(x), y); }
inline Whole select(Flag flag, Whole x, Whole y) {
  return {x.b, mlir::arith::SelectOp::create(*x.b, flag.v, x.v, y.v)};
}
/// `x`, or the canonical NaN where `flag` holds.
inline Real nanWhere(Flag flag, Real x) {
  return select(flag, llvm::bit_cast<double>(canonicalNaN), x);
}

inline Whole bits(Real x) {
  mlir::Type type = shapedLike(x.v.getType(), x.b->getI64Type());
  return {x.b, mlir::arith::BitcastOp::create(*x.b, type, x.v)};
}
inline Real fromBits(Whole x) {
  mlir::Type type = shapedLike(x.v.getType(), x.b->getF64Type());
  return {x.b, mlir::arith::BitcastOp::create(*x.b, type, x.v)};
}

/// 1.5 * 2^52. Added to a small number it rounds it to an integer, which then stands in the low
/// bits: a conversion that, unlike arith.fptosi, has a value for NaN too, and that all vector units
/// have.
inline constexpr double integerShift = 0x1.8p52;

/// An integer and the f64 of it.
struct Rounded {
  Real real;
  Whole whole;
};
/// The integer nearest to x, ties to even; |x| <= 2^50. Arbitrary for NaN.
inline Rounded roundToInteger(Real x) {
  Real shifted = x + integerShift;
  return {shifted - integerShift, bits(shifted) - llvm::bit_cast<int64_t>(integerShift)};
}
/// The f64 of an integer, |n| <= 2^50.
inline Real toReal(Whole n) {
  return fromBits(n + llvm::bit_cast<int64_t>(integerShift)) - integerShift;
}

/// c[0] + x (c[1] + x (… )), from the inside out.
inline Real polynomial(Real x, llvm::ArrayRef<double> c) {
  Real sum = x.same(c.back());
  for (double coefficient : llvm::reverse(c.drop_back()))
    sum = x * sum + coefficient;
  return sum;
}

} // namespace sawtooth::expand

#endif // SAWTOOTH_LIB_TRANSFORMS_MATHBUILDER_H
