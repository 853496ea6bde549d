// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SAWTOOTH_RUNTIME_STATUS_H
#define SAWTOOTH_RUNTIME_STATUS_H

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <utility>

namespace sawtooth::runtime {

enum class StatusCode : uint32_t {
  Ok,
  Invalid,     // what the caller said makes no sense
  NotFound,    // a name that does not exist
  Mismatch,    // two things that must agree do not: names, shapes, types
  Corrupt,     // a file or plan that breaks its own format
  Unsupported, // another version, machine or kind
  Io,          // the operating system refused
  OutOfMemory,
  Stuck,       // a scaler gave up: no scale makes the gradients finite
  DeviceFailed // a GPU or its driver refused, or a kernel failed
};

/// What became of a call: `Ok`, or a code, a sentence for people, and where it arose. Nothing in
/// the runtime throws across its API.
class [[nodiscard]] Status {
public:
  Status() = default;
  static Status error(StatusCode code, std::string message,
                      std::source_location where = std::source_location::current());

  bool ok() const { return errorCode == StatusCode::Ok; }
  StatusCode code() const { return errorCode; }
  /// Lower-case, without a full stop; empty when ok.
  const std::string &message() const { return text; }
  /// Where in the runtime's sources the error arose; "" and 0 when ok.
  const char *file() const { return sourceFile; }
  uint32_t line() const { return sourceLine; }

  /// The same error with "`subject`: " before its message.
  Status of(const std::string &subject) const;

private:
  StatusCode errorCode = StatusCode::Ok;
  std::string text;
  const char *sourceFile = "";
  uint32_t sourceLine = 0;
};

/// A value, or why there is none.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Status error) : why(std::move(error)) {}

  bool ok() const { return held.has_value(); }
  const Status &status() const { return why; }
  /// Only when ok.
  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }

private:
  std::optional<T> held;
  Status why;
};

/// Returns from the enclosing function when `expression` is not ok.
#define SAWTOOTH_TRY(expression)                                                                   \
  do {                                                                                             \
    if (::sawtooth::runtime::Status tried = (expression); !tried.ok())                             \
      return tried;                                                                                \
  } while (false)

} // namespace sawtooth::runtime

#endif // SAWTOOTH_RUNTIME_STATUS_H
