// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/cuda/DeviceEngine.h"

#include "Cat.h"

namespace sawtooth::runtime::cuda {

DeviceEngine::~DeviceEngine() {
  // What is on its way may still write to memory that goes with this.
  if (mirror)
    (void)wait();
}

Result<std::unique_ptr<DeviceEngine>> DeviceEngine::create(Store &store, DevicePointer device,
                                                           uint64_t rows, CUstream stream) {
  std::unique_ptr<DeviceEngine> engine(new DeviceEngine);
  if (!stream) {
    Result<std::unique_ptr<Stream>> own = Stream::create(device);
    if (!own.ok())
      return own.status();
    engine->own = std::move(*own);
    stream = engine->own->get();
  }
  engine->stream = stream;
  Result<std::unique_ptr<DeviceStore>> mirror =
      DeviceStore::create(store, std::move(device), rows, stream);
  if (!mirror.ok())
    return mirror.status();
  engine->mirror = std::move(*mirror);
  return engine;
}

Result<std::unique_ptr<StepRunner>> DeviceEngine::prepare(const Artifact &artifact, uint32_t step) {
  Result<std::unique_ptr<DeviceExecutor>> created =
      DeviceExecutor::create(artifact, step, *mirror, stream);
  if (!created.ok())
    return created.status();
  code = (*created)->module().picked();
  for (const std::string &refusal : (*created)->module().refusals())
    code += cat("; not ", refusal);
  return std::unique_ptr<StepRunner>(std::move(*created));
}

Status DeviceEngine::start(StepRunner &runner) {
  return static_cast<DeviceExecutor &>(runner).run(stream);
}

Status DeviceEngine::wait() {
  const Driver &api = mirror->device()->driver();
  StreamAccess access(*mirror->device(), stream);
  SAWTOOTH_TRY(access.status());
  return api.check(api.cuStreamSynchronize(stream), "cuStreamSynchronize");
}

Result<bool> DeviceEngine::applied(StepRunner &runner) {
  const Driver &api = mirror->device()->driver();
  StreamAccess access(*mirror->device(), stream);
  SAWTOOTH_TRY(access.status());
  CUdeviceptr flag = static_cast<DeviceExecutor &>(runner).frame() + runner.step().applied;
  uint8_t value = 0;
  SAWTOOTH_TRY(api.check(api.cuMemcpyDtoHAsync(&value, flag, 1, stream), "cuMemcpyDtoHAsync"));
  SAWTOOTH_TRY(api.check(api.cuStreamSynchronize(stream), "cuStreamSynchronize"));
  return value != 0;
}

std::string DeviceEngine::description() const {
  const Device &device = *mirror->device();
  return cat(device.name(), " (sm_", device.capability(), ")", code.empty() ? "" : ", ", code);
}

void fetchFrom(Store &store, DevicePointer device, CUstream stream) {
  store.setFetch([device, stream](void *to, uint64_t from, uint64_t bytes) {
    const Driver &api = device->driver();
    StreamAccess access(*device, stream);
    SAWTOOTH_TRY(access.status());
    SAWTOOTH_TRY(api.check(api.cuMemcpyDtoHAsync(to, from, bytes, stream), "cuMemcpyDtoHAsync"));
    return api.check(api.cuStreamSynchronize(stream), "cuStreamSynchronize");
  });
}

} // namespace sawtooth::runtime::cuda
