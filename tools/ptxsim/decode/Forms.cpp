// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "decode/Forms.h"

#include <algorithm>
#include <map>

using namespace ptxsim;

static ParsedForm parseForm(const Form &form) {
  ParsedForm parsed;
  parsed.form = &form;
  std::string_view text = form.pattern;
  size_t at = std::min(text.find_first_of(".?"), text.size());
  parsed.base = text.substr(0, at);
  while (at < text.size()) {
    Slot slot;
    slot.optional = text[at++] == '?';
    if (text[at] == '{') {
      size_t close = text.find('}', at);
      for (++at; at < close;) {
        size_t end = std::min(text.find('|', at), close);
        slot.words.push_back(text.substr(at, end - at));
        at = end + 1;
      }
      at = close + 1;
    } else {
      size_t end = std::min(text.find_first_of(".?", at), text.size());
      slot.words.push_back(text.substr(at, end - at));
      at = end;
    }
    parsed.slots.push_back(std::move(slot));
  }
  return parsed;
}

const std::vector<ParsedForm> &ptxsim::allForms() {
  static const std::vector<ParsedForm> table = [] {
    std::vector<ParsedForm> rows;
    for (auto family : {integerForms(), wideIntegerForms(), bitForms(), floatForms(), halfForms(),
                        approxForms(), compareForms(), convertForms(), moveForms(), memoryForms(),
                        atomicForms(), controlForms(), warpForms()})
      for (const Form &form : family)
        rows.push_back(parseForm(form));
    return rows;
  }();
  return table;
}

static const std::map<std::string_view, std::vector<const ParsedForm *>> &byBase() {
  static const auto index = [] {
    std::map<std::string_view, std::vector<const ParsedForm *>> map;
    for (const ParsedForm &form : allForms())
      map[form.base].push_back(&form);
    return map;
  }();
  return index;
}

std::vector<const ParsedForm *> ptxsim::formsOf(std::string_view base) {
  auto found = byBase().find(base);
  return found == byBase().end() ? std::vector<const ParsedForm *>() : found->second;
}

std::vector<std::string> ptxsim::allBases() {
  std::vector<std::string> bases;
  for (const auto &[base, rows] : byBase())
    bases.emplace_back(base);
  return bases;
}

bool ptxsim::matchForm(const ParsedForm &form, const std::vector<std::string> &modifiers,
                       std::vector<std::string_view> &chosen) {
  chosen.clear();
  size_t at = 0;
  for (const Slot &slot : form.slots) {
    auto word = at < modifiers.size()
                    ? std::find(slot.words.begin(), slot.words.end(), modifiers[at])
                    : slot.words.end();
    if (word != slot.words.end()) {
      chosen.push_back(*word);
      ++at;
    } else if (slot.optional) {
      chosen.push_back({});
    } else {
      return false;
    }
  }
  return at == modifiers.size();
}

size_t ptxsim::matchLength(const ParsedForm &form, const std::vector<std::string> &modifiers) {
  size_t at = 0;
  for (const Slot &slot : form.slots) {
    if (at < modifiers.size() &&
        std::find(slot.words.begin(), slot.words.end(), modifiers[at]) != slot.words.end())
      ++at;
    else if (!slot.optional)
      break;
  }
  return at;
}
