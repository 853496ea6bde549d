// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sawtooth/runtime/cuda/Images.h"

#include "GpuFixture.h"
#include "sawtooth/runtime/GpuChip.h"

using namespace sawtooth::test;

namespace {

SawtoothImage cubin(unsigned chip, char suffix = 0) {
  return {SAWTOOTH_IMAGE_CUBIN, chip, uint32_t(suffix), 0, 0, nullptr};
}
SawtoothImage ptx(unsigned chip, unsigned version = 78, char suffix = 0) {
  return {SAWTOOTH_IMAGE_PTX, chip, uint32_t(suffix), version, 0, nullptr};
}

std::vector<std::string> order(std::vector<SawtoothImage> images, unsigned capability,
                               unsigned newest = 90) {
  std::vector<std::string> reasons, titles;
  for (const SawtoothImage *image : imagesFor(images, capability, newest, reasons))
    titles.push_back(imageTitle(*image));
  return titles;
}
using Titles = std::vector<std::string>;

TEST(GpuImages, TheChipsOwnCubinComesFirst) {
  std::vector<SawtoothImage> fat = {ptx(90), cubin(80), cubin(86), cubin(90), ptx(75, 63)};
  EXPECT_EQ(order(fat, 90), (Titles{"cubin for sm_90", "PTX 7.8 for sm_90", "PTX 6.3 for sm_75"}));
  EXPECT_EQ(order(fat, 86), (Titles{"cubin for sm_86", "cubin for sm_80", "PTX 6.3 for sm_75"}));
  EXPECT_EQ(order(fat, 89), (Titles{"cubin for sm_86", "cubin for sm_80", "PTX 6.3 for sm_75"}));
  EXPECT_EQ(order(fat, 80), (Titles{"cubin for sm_80", "PTX 6.3 for sm_75"}));
  EXPECT_EQ(order(fat, 120), (Titles{"PTX 7.8 for sm_90", "PTX 6.3 for sm_75"}));
  EXPECT_EQ(order(fat, 70), Titles{});
}

TEST(GpuImages, ASuffixTiesCodeToItsChips) {
  EXPECT_EQ(order({ptx(90, 80, 'a'), ptx(80)}, 90),
            (Titles{"PTX 8.0 for sm_90a", "PTX 7.8 for sm_80"}));
  EXPECT_EQ(order({ptx(90, 80, 'a'), ptx(80)}, 100), (Titles{"PTX 7.8 for sm_80"}));
  EXPECT_EQ(order({cubin(100, 'a'), ptx(80)}, 103), (Titles{"PTX 7.8 for sm_80"}));
  EXPECT_EQ(order({ptx(100, 88, 'f'), ptx(80)}, 103),
            (Titles{"PTX 8.8 for sm_100f", "PTX 7.8 for sm_80"}));
  EXPECT_EQ(order({ptx(100, 88, 'f'), ptx(80)}, 110), (Titles{"PTX 7.8 for sm_80"}));
  EXPECT_EQ(order({ptx(90), ptx(90, 80, 'a')}, 90),
            (Titles{"PTX 8.0 for sm_90a", "PTX 7.8 for sm_90"}));
}

TEST(GpuImages, ADeviceRunsTheNewestChipBeforeIt) {
  EXPECT_EQ(GpuChip::newestFor(70), std::nullopt);
  for (auto [device, chip] : {std::pair(75u, "sm_75"),
                              {79u, "sm_75"},
                              {90u, "sm_90"},
                              {101u, "sm_100"},
                              {121u, "sm_121"},
                              {999u, "sm_121"}})
    EXPECT_EQ(GpuChip::newestFor(device).value_or(GpuChip()).name(), chip);
}

TEST(GpuImages, B69_PtxThatTheDriverDoesNotKnowIsLeftOut) {
  std::vector<std::string> reasons;
  std::vector<SawtoothImage> images = {ptx(90, 90), ptx(80, 70)};
  EXPECT_EQ(imagesFor(images, 90, 84, reasons).size(), 1u);
  EXPECT_EQ(reasons,
            (Titles{"PTX 9.0 for sm_90 needs a driver that knows PTX 9.0, this one knows 8.4"}));
}

// A module whose kernels stand in several images.
struct Fat {
  FakeGpuModule gpu = fakeSgdOnGpu();
  std::string broken = "\177ELF is all that this cubin has", newer = gpu.ptx;
  Result<std::shared_ptr<const Module>> load() { return Module::load(device(), gpu.images); }
};

TEST(GpuImages, B69_ARefusedCubinGivesWayToPtx) {
  Fat fat;
  fat.gpu.images.insert(fat.gpu.images.begin(), cubin(90));
  fat.gpu.images[0].data = fat.broken.data();
  Result<std::shared_ptr<const Module>> module = fat.load();
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_EQ((*module)->picked(), "PTX 6.3 for sm_75");
  ASSERT_EQ((*module)->refusals().size(), 1u);
  EXPECT_EQ((*module)->refusals()[0].find("cubin for sm_90: cuModuleLoadDataEx: "
                                          "CUDA_ERROR_NO_BINARY_FOR_GPU"),
            0u)
      << (*module)->refusals()[0];
  EXPECT_TRUE((*module)->function("sgd_find").ok());
  EXPECT_EQ((*module)->function("sgd_missing").status().message(),
            "the PTX 6.3 for sm_75 of the artifact has no kernel 'sgd_missing'");
}

TEST(GpuImages, B69_PtxThatTheDriverRefusesGivesWayToOlder) {
  // Whatever a driver may call what it does not understand.
  for (CUresult reason : {errorInvalidImage, errorNoBinaryForGpu, errorInvalidPtx,
                          errorUnsupportedPtxVersion, errorInvalidSource}) {
    Fat fat;
    fat.gpu.images.push_back(ptx(90, 90));
    fat.gpu.images[1].data = fat.newer.c_str();
    spy().refuseImages = 1;
    spy().refuseWith = reason;
    Result<std::shared_ptr<const Module>> module = fat.load();
    spy().refuseWith = errorUnsupportedPtxVersion;
    ASSERT_TRUE(module.ok()) << module.status().message();
    EXPECT_EQ((*module)->picked(), "PTX 6.3 for sm_75");
  }
}

// Trying another image would hide what is wrong with the device.
TEST(GpuImages, AnErrorThatIsNotTheImagesEndsTheSearch) {
  Fat fat;
  fat.gpu.images.push_back(ptx(90, 90));
  fat.gpu.images[1].data = fat.newer.c_str();
  spy().refuseImages = 1;
  spy().refuseWith = errorOutOfMemory;
  uint64_t before = spy().moduleLoads;
  Status status = fat.load().status();
  spy().refuseWith = errorUnsupportedPtxVersion;
  EXPECT_EQ(spy().moduleLoads - before, 1u);
  EXPECT_EQ(status.code(), StatusCode::OutOfMemory);
  EXPECT_EQ(status.message().find("PTX 9.0 for sm_90: cuModuleLoadDataEx: "), 0u)
      << status.message();
}

TEST(GpuImages, B69_TheErrorNamesBothVersions) {
  Fat fat;
  fat.gpu.images = {ptx(90, 91)};
  fat.gpu.images[0].data = fat.newer.c_str();
  Status status = fat.load().status();
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  for (const char *word : {"driver for CUDA 13.0", "knows PTX 9.1", "knows 9.0", "sm_90"})
    EXPECT_NE(status.message().find(word), std::string::npos) << status.message();
}

} // namespace
