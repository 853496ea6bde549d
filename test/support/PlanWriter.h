// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes plans by hand, for tests of what reads them. Tables are public: push rows, break rows.
#ifndef SAWTOOTH_TEST_SUPPORT_PLANWRITER_H
#define SAWTOOTH_TEST_SUPPORT_PLANWRITER_H

#include "sawtooth/runtime/Abi.h"

#include <cstring>
#include <string>
#include <vector>

namespace sawtooth::test {

class PlanWriter {
public:
  SawtoothPlan header{};
#define SAWTOOTH_WRITER_TABLE(name, row) std::vector<row> name;
  SAWTOOTH_PLAN_TABLES(SAWTOOTH_WRITER_TABLE)
#undef SAWTOOTH_WRITER_TABLE

  PlanWriter() {
    header.magic = SAWTOOTH_PLAN_MAGIC;
    header.abi = SAWTOOTH_ABI_VERSION;
    header.headerBytes = sizeof(SawtoothPlan);
    header.target = text("cpu");
    header.source = text("fake.mlir");
  }

  // Strings come right behind the header, so that their places are known at once.
  SawtoothString text(const std::string &string) {
    SawtoothString at = static_cast<SawtoothString>(sizeof(SawtoothPlan) + pool.size());
    pool += string + '\0';
    return at;
  }

  // Adds rows and says where they are.
  template <typename T>
  static SawtoothRange add(std::vector<T> &table, const std::vector<T> &rows) {
    SawtoothRange range{static_cast<uint32_t>(table.size()), static_cast<uint32_t>(rows.size())};
    table.insert(table.end(), rows.begin(), rows.end());
    return range;
  }

  // The plan, in whole words. `bytes` of the header is its length.
  std::vector<uint64_t> finish() {
    uint64_t at = (sizeof(SawtoothPlan) + pool.size() + 7) / 8 * 8;
    auto place = [&](SawtoothTable &table, uint64_t rows, uint64_t rowBytes) {
      table = {at, rows};
      at = (at + rows * rowBytes + 7) / 8 * 8;
    };
#define SAWTOOTH_WRITER_TABLE(name, row) place(header.name, name.size(), sizeof(row));
    SAWTOOTH_PLAN_TABLES(SAWTOOTH_WRITER_TABLE)
#undef SAWTOOTH_WRITER_TABLE
    header.bytes = at;
    std::vector<uint64_t> words(at / 8);
    char *out = reinterpret_cast<char *>(words.data());
    std::memcpy(out, &header, sizeof(header));
    std::memcpy(out + sizeof(header), pool.data(), pool.size());
#define SAWTOOTH_WRITER_TABLE(name, row)                                                           \
  if (!name.empty())                                                                               \
    std::memcpy(out + header.name.offset, name.data(), name.size() * sizeof(row));
    SAWTOOTH_PLAN_TABLES(SAWTOOTH_WRITER_TABLE)
#undef SAWTOOTH_WRITER_TABLE
    return words;
  }

private:
  std::string pool;
};

} // namespace sawtooth::test

#endif // SAWTOOTH_TEST_SUPPORT_PLANWRITER_H
