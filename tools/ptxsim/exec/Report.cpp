// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exec/Report.h"

#include <cstdio>

using namespace ptxsim;

const char *ptxsim::nameOf(Finding finding) {
  static const char *const names[] = {"out-of-bounds",
                                      "freed-memory",
                                      "read-only-write",
                                      "misaligned",
                                      "uninitialised-memory",
                                      "uninitialised-register",
                                      "race",
                                      "non-coherent",
                                      "barrier-divergence",
                                      "missing-lanes",
                                      "inactive-lane",
                                      "divergent-uniform",
                                      "no-progress",
                                      "bad-call",
                                      "trap",
                                      "assert",
                                      "instruction-limit",
                                      "stack-overflow"};
  return names[size_t(finding)];
}

void Reporter::start(uint64_t limit) {
  list.clear();
  seen.clear();
  most = limit;
  dropped = 0;
}

bool Reporter::add(Report report) {
  if (!seen.emplace(report.finding, report.line).second) {
    ++dropped;
    return false;
  }
  if (list.size() < most)
    list.push_back(std::move(report));
  else
    ++dropped;
  return true;
}

static std::string triple(const uint32_t *values) {
  return "(" + std::to_string(values[0]) + "," + std::to_string(values[1]) + "," +
         std::to_string(values[2]) + ")";
}

std::string ptxsim::toText(const Report &report) {
  const char *prefix = "========= ";
  std::string text = prefix + report.title + "\n";
  auto detail = [&](const std::string &line) {
    text += std::string(prefix) + "    " + line + "\n";
  };
  if (report.line)
    detail("at " + report.kernel + " (" + report.file + ":" + std::to_string(report.line) +
           "): " + report.text);
  else
    detail("in " + report.kernel);
  if (report.hasThread)
    detail("by thread " + triple(report.thread) + " in block " + triple(report.block));
  for (const std::string &line : report.details)
    detail(line);
  return text + "=========\n";
}

static std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if ((unsigned char)c < 0x20 || (unsigned char)c >= 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", (unsigned char)c);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string ptxsim::toJson(const Report &report) {
  auto triple = [](const uint32_t *v) {
    return "[" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) +
           "]";
  };
  std::string json =
      "{\"finding\":" + quoted(nameOf(report.finding)) + ",\"title\":" + quoted(report.title) +
      ",\"kernel\":" + quoted(report.kernel) + ",\"file\":" + quoted(report.file) +
      ",\"line\":" + std::to_string(report.line) + ",\"text\":" + quoted(report.text);
  if (report.hasThread)
    json += ",\"block\":" + triple(report.block) + ",\"thread\":" + triple(report.thread);
  if (report.address)
    json += ",\"address\":" + std::to_string(report.address);
  if (!report.buffer.empty())
    json +=
        ",\"buffer\":" + quoted(report.buffer) + ",\"distance\":" + std::to_string(report.distance);
  json += ",\"details\":[";
  for (size_t i = 0; i < report.details.size(); ++i)
    json += (i ? "," : "") + quoted(report.details[i]);
  return json + "]}";
}
