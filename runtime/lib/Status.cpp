// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/Status.h"

using namespace sawtooth::runtime;

Status Status::error(StatusCode code, std::string message, std::source_location where) {
  Status status;
  status.errorCode = code;
  status.text = std::move(message);
  status.sourceFile = where.file_name();
  status.sourceLine = where.line();
  return status;
}

Status Status::of(const std::string &subject) const {
  Status status = *this;
  if (!ok())
    status.text = subject + ": " + text;
  return status;
}
