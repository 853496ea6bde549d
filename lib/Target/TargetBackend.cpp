// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sawtooth/Target/TargetBackend.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace sawtooth;

LoadedObject::~LoadedObject() = default;
TargetBackend::~TargetBackend() = default;

const TargetBackend *TargetRegistry::find(StringRef name, Location location) const {
  for (const auto &backend : backends)
    if (backend->getName() == name)
      return backend.get();
  InFlightDiagnostic diagnostic = emitError(location, "expected a target, got '")
                                  << name << "'; there are";
  for (const auto &backend : backends)
    diagnostic << " " << backend->getName();
  return nullptr;
}

void TargetRegistry::registerTranslations(DialectRegistry &registry) const {
  for (const auto &backend : backends)
    backend->registerTranslations(registry);
}
