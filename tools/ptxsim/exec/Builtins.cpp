// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extern functions that CUDA device code may call (PTX interoperability: vprintf,
// __assertfail).

#include "exec/Launch.h"

#include <bit>
#include <cstdio>
#include <cstring>

using namespace ptxsim;

static std::string textAt(Warp &warp, uint64_t address, unsigned lane) {
  std::string text;
  for (const uint8_t *byte; text.size() < 4096 && (byte = warp.peek(address, 1, lane)) && *byte;
       ++address)
    text += char(*byte);
  return text;
}

/// printf with the arguments packed in memory, each aligned to its size.
static std::string format(Warp &warp, const std::string &pattern, uint64_t at, unsigned lane) {
  std::string out;
  auto next = [&](unsigned bytes) {
    at = (at + bytes - 1) / bytes * bytes;
    uint64_t value = 0;
    if (const uint8_t *from = warp.peek(at, bytes, lane))
      std::memcpy(&value, from, bytes);
    at += bytes;
    return value;
  };
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      out += pattern[i];
      continue;
    }
    std::string spec = "%";
    unsigned longs = 0;
    for (++i; i < pattern.size() && std::strchr("-+ #0123456789.hlzjt", pattern[i]); ++i) {
      longs += pattern[i] == 'l' || pattern[i] == 'z' || pattern[i] == 'j' || pattern[i] == 't';
      if (!std::strchr("hlzjt", pattern[i]) && spec.size() < 16)
        spec += pattern[i];
    }
    if (i >= pattern.size())
      break;
    char conversion = pattern[i], buffer[512];
    buffer[0] = 0;
    if (conversion == '%') {
      out += '%';
      continue;
    }
    if (std::strchr("diouxXc", conversion)) {
      uint64_t bits = next(longs ? 8 : 4);
      int64_t value = conversion == 'd' || conversion == 'i'
                          ? (longs ? int64_t(bits) : int64_t(int32_t(bits)))
                          : int64_t(bits);
      spec += conversion == 'c' ? std::string("c") : std::string("ll") + conversion;
      if (conversion == 'c')
        std::snprintf(buffer, sizeof buffer, spec.c_str(), int(value));
      else
        std::snprintf(buffer, sizeof buffer, spec.c_str(), (long long)value);
    } else if (std::strchr("fFeEgGaA", conversion)) {
      spec += conversion;
      std::snprintf(buffer, sizeof buffer, spec.c_str(), std::bit_cast<double>(next(8)));
    } else if (conversion == 's') {
      out += textAt(warp, next(8), lane);
      continue;
    } else if (conversion == 'p') {
      std::snprintf(buffer, sizeof buffer, "0x%llx", (unsigned long long)next(8));
    }
    out += buffer;
  }
  return out;
}

bool Warp::builtin(Group &group, const Inst &inst, const CallSite &site, Mask mask) {
  for (Mask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    size_t base = size_t(lane) * localCapacity + group.frame->localBase;
    auto argument = [&](size_t index) {
      uint64_t value = 0;
      if (index < site.arguments.size())
        std::memcpy(&value, &local[base + site.arguments[index].from],
                    std::min<size_t>(8, site.arguments[index].bytes));
      return value;
    };
    if (site.calleeName == "__assertfail")
      report(Finding::Assert, inst, int(lane),
             "Assertion `" + textAt(*this, argument(0), lane) + "' failed",
             {textAt(*this, argument(1), lane) + ":" + std::to_string(uint32_t(argument(2))) +
              ": " + textAt(*this, argument(3), lane)});
    std::string text = format(*this, textAt(*this, argument(0), lane), argument(1), lane);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    for (const Transfer &result : site.results) {
      uint64_t count = text.size();
      std::memcpy(&local[base + result.to], &count, std::min<size_t>(8, result.bytes));
      std::memset(&localWritten[base + result.to], 1, result.bytes);
    }
  }
  ++group.pc;
  return true;
}
