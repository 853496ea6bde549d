// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of instruction forms. A row says which words an opcode may carry, in which order, and
// how to build the instruction; an instruction that no row matches to its last word is refused.

#ifndef PTXSIM_DECODE_FORMS_H
#define PTXSIM_DECODE_FORMS_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptxsim {

class Builder;

/// Pattern language: `.x` a word that must be there, `.{a|b}` one of these, `?x` and `?{a|b}` the
/// same but optional. Example: `add?{rn|rz|rm|rp}?ftz?sat.f32`.
struct Form {
  const char *pattern;
  const char *operands; ///< for the documentation: `d, a, b`
  const char *section;  ///< of the PTX ISA manual
  unsigned ptx;         ///< first PTX version, 63 or above
  unsigned sm;          ///< first target, 75 or above
  void (*build)(Builder &);
  bool approx = false; ///< result not defined to the bit
};

/// A form split into its words.
struct Slot {
  bool optional = false;
  std::vector<std::string_view> words;
};
struct ParsedForm {
  const Form *form = nullptr;
  std::string_view base;
  std::vector<Slot> slots;
};

/// All rows, in a fixed order.
const std::vector<ParsedForm> &allForms();
/// Rows of one base opcode; empty when it is unknown.
std::vector<const ParsedForm *> formsOf(std::string_view base);
std::vector<std::string> allBases();

/// Words chosen for each slot ("" for an absent optional one), or nothing.
bool matchForm(const ParsedForm &form, const std::vector<std::string> &modifiers,
               std::vector<std::string_view> &chosen);
/// How many modifiers the form consumed before it failed; for messages.
size_t matchLength(const ParsedForm &form, const std::vector<std::string> &modifiers);

// The families, one file each.
std::span<const Form> integerForms();
std::span<const Form> wideIntegerForms();
std::span<const Form> bitForms();
std::span<const Form> floatForms();
std::span<const Form> halfForms();
std::span<const Form> approxForms();
std::span<const Form> compareForms();
std::span<const Form> convertForms();
std::span<const Form> moveForms();
std::span<const Form> memoryForms();
std::span<const Form> atomicForms();
std::span<const Form> controlForms();
std::span<const Form> warpForms();

} // namespace ptxsim

#endif
