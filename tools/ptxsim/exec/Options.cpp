// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exec/Options.h"
#include "exec/Chips.h"
#include "syntax/Source.h"

#include <cerrno>
#include <cstdlib>
#include <functional>

using namespace ptxsim;

namespace {
struct OptionRow {
  const char *name, *initial, *meaning;
  bool Options::*flag = nullptr;
  uint64_t Options::*number = nullptr;
  std::string Options::*text = nullptr;
};
} // namespace

static const std::vector<OptionRow> &rows() {
  static const std::vector<OptionRow> table = {
      {"chip", "sm_80", "the device to be, sm_75 to sm_121", nullptr, nullptr, &Options::chip},
      {"race", "1", "report races and .nc misuse", &Options::race},
      {"uninit", "1", "report reads of memory and registers that nobody wrote", &Options::uninit},
      {"fail", "1", "race and uninit findings fail the launch (CUDA_ERROR_LAUNCH_FAILED)",
       &Options::fail},
      {"approx", "0", "allow .approx forms, perturbed within their documented error",
       &Options::approx},
      {"lazy", "0", "streams execute only when somebody waits for them", &Options::lazy},
      {"stats", "0", "print counts of instructions, bytes and requests at exit", &Options::stats},
      {"ptxas", "1", "assemble every module on load where ptxas is found", &Options::ptxas},
      {"ptxas_path", "", "this ptxas instead of the one on PATH", nullptr, nullptr,
       &Options::ptxasPath},
      {"seed", "0", "order of warps, blocks and divergent paths; 0 is program order", nullptr,
       &Options::seed},
      {"progress", "30000000", "warp instructions without any change before a launch is hung",
       nullptr, &Options::progress},
      {"limit", "0", "warp instructions a launch may take, 0 for no limit", nullptr,
       &Options::limit},
      {"memory", "8589934592", "bytes of device memory", nullptr, &Options::memory},
      {"reports", "20", "reports printed for one launch", nullptr, &Options::reports},
      {"report", "", "write reports to this file, one JSON object a line, instead of stderr",
       nullptr, nullptr, &Options::report},
  };
  return table;
}

std::string ptxsim::describeOptions() {
  std::string text;
  for (const OptionRow &row : rows()) {
    std::string head = std::string("  ") + row.name + "=" + row.initial;
    head.resize(std::max<size_t>(head.size() + 1, 24), ' ');
    text += head + row.meaning + "\n";
  }
  return text;
}

std::string Options::parse(const std::string &text) {
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = std::min(text.find(':', begin), text.size());
    std::string item = text.substr(begin, end - begin);
    begin = end + 1;
    if (item.empty())
      continue;
    size_t equals = item.find('=');
    std::string name = item.substr(0, equals);
    std::string value = equals == std::string::npos ? "1" : item.substr(equals + 1);
    const OptionRow *row = nullptr;
    std::vector<std::string> names;
    for (const OptionRow &candidate : rows()) {
      names.push_back(candidate.name);
      if (name == candidate.name)
        row = &candidate;
    }
    if (!row) {
      std::string known;
      for (const std::string &each : names)
        known += (known.empty() ? "" : ", ") + each;
      std::string near = nearest(name, names);
      return "unknown option '" + name + "'" +
             (near.empty() ? "" : "; did you mean '" + near + "'") + "; options are " + known;
    }
    if (row->flag) {
      if (value != "0" && value != "1")
        return "option '" + name + "': expected 0 or 1, got '" + value + "'";
      this->*row->flag = value == "1";
    } else if (row->number) {
      char *stop = nullptr;
      errno = 0;
      uint64_t number = std::strtoull(value.c_str(), &stop, 0);
      if (value.empty() || *stop || errno || value[0] == '-')
        return "option '" + name + "': expected a number, got '" + value + "'";
      this->*row->number = number;
    } else {
      this->*row->text = value;
    }
  }
  if (!findChip(chip))
    return "unknown chip '" + chip + "'; chips are " + listChips();
  return {};
}
