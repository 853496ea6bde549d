// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TinyArtifact.h"

#include "sawtooth/runtime/ArtifactFormat.h"
#include "sawtooth/runtime/Digest.h"

#include "gtest/gtest.h"

#include <cstring>
#include <sys/stat.h>

using namespace sawtooth::runtime;
using namespace sawtooth::runtime::test;

static ::testing::AssertionResult refused(const Status &status, StatusCode code,
                                          const std::string &words) {
  if (status.code() == code && status.message().find(words) != std::string::npos)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "expected code " << uint32_t(code) << " and '" << words << "', got code "
         << uint32_t(status.code()) << " and '" << status.message() << "'";
}

static Result<ArtifactFile> read(std::span<const std::byte> bytes) {
  return ArtifactFile::read(bytes, "it");
}

// Changes the footer and seals the file again, as another version of the project would have.
static Bytes withFooter(Bytes file, void (*change)(SawtoothArtifactFooter &)) {
  SawtoothArtifactFooter footer;
  std::byte *place = file.data() + file.size() - sizeof(footer);
  std::memcpy(&footer, place, sizeof(footer));
  change(footer);
  std::memcpy(place, &footer, sizeof(footer));
  std::byte *checksum = place + offsetof(SawtoothArtifactFooter, checksum);
  Digest sum = digest({file.data(), checksum});
  std::memcpy(checksum, &sum, sizeof(sum));
  return file;
}

TEST(ArtifactFile, LoadsTheMostDemandingVariantThatThisMachineRuns) {
  Bytes image = tinyImage();
  ArtifactInfo info = tinyInfo(image, {"avx2"});
  info.variants.push_back(info.variants[1]);
  info.variants.back().chip = "tomorrow";
  info.variants.back().features = {"avx2", "no-such-feature"};
  auto file = read(sealArtifact(image, info));
  ASSERT_TRUE(file.ok()) << file.status().message();
  auto loaded = file->load();
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->chip, "four");
  EXPECT_EQ(runTiny(*loaded), 4);
  auto three = file->load("three");
  ASSERT_TRUE(three.ok()) << three.status().message();
  EXPECT_EQ(runTiny(*three), 3);
  EXPECT_TRUE(
      refused(file->load("tomorrow").status(), StatusCode::Unsupported,
              "it: its code for tomorrow needs what this machine lacks: 'no-such-feature'"));
  EXPECT_TRUE(refused(file->load("thre").status(), StatusCode::NotFound, "did you mean 'three'"));
}

TEST(ArtifactFile, SaysWhatAMachineBelowTheFloorLacks) {
  Bytes image = tinyImage();
  ArtifactInfo info = tinyInfo(image);
  for (ArtifactVariant &variant : info.variants)
    variant.features = {"no-such-feature"};
  EXPECT_TRUE(refused(read(sealArtifact(image, info))->load().status(), StatusCode::Unsupported,
                      "its code for three needs what this machine lacks: 'no-such-feature'"));
}

TEST(ArtifactFile, TellsPlanAndInfoWithoutLoading) {
  Bytes image = tinyForeignImage();
  ArtifactInfo info = tinyInfo(image);
  info.target = "aarch64-unknown-linux-gnu";
  info.notes.emplace_back("llvm", "22.1.8 of a distribution");
  auto file = read(sealArtifact(image, info));
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->info().target, info.target);
  EXPECT_EQ(file->info().note("llvm"), "22.1.8 of a distribution");
  EXPECT_EQ(file->info().note("absent"), "");
  auto plan = file->plan();
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  ASSERT_EQ(plan->fields().size(), 1u);
  EXPECT_EQ(plan->text(plan->fields()[0].name), "s.scale");
  EXPECT_EQ(plan->fields()[0].initial, 42u);
}

TEST(ArtifactFile, RefusesEverySingleBitFlip) {
  Bytes file = tinyArtifact();
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::byte mask{static_cast<unsigned char>(1u << bit % 8)};
    file[bit / 8] ^= mask;
    ASSERT_FALSE(read(file).ok()) << "bit " << bit;
    file[bit / 8] ^= mask;
  }
  EXPECT_TRUE(read(file).ok());
}

TEST(ArtifactFile, RefusesEveryTruncation) {
  Bytes file = tinyArtifact();
  for (size_t size = 0; size < file.size(); ++size) {
    auto cut = read(std::span(file).first(size));
    ASSERT_FALSE(cut.ok()) << size << " bytes";
    ASSERT_EQ(cut.status().code(), StatusCode::Corrupt) << size << " bytes";
  }
  EXPECT_TRUE(refused(read(std::span(file).first(1000)).status(), StatusCode::Corrupt,
                      "it: it is cut short: only 1000 bytes are there"));
  EXPECT_TRUE(refused(read(std::span(file).first(file.size() - 1)).status(), StatusCode::Corrupt,
                      "it was cut short, stripped, or not made by 'sawtooth compile'"));
}

TEST(ArtifactFile, RefusesWhatGrewAndWhatIsSomethingElse) {
  Bytes file = tinyArtifact();
  file.push_back(std::byte{0});
  EXPECT_TRUE(refused(read(file).status(), StatusCode::Corrupt, "not made by 'sawtooth compile'"));
  file = tinyArtifact();
  file.insert(file.begin(), std::byte{0});
  EXPECT_FALSE(read(file).ok());
  EXPECT_TRUE(refused(read(tinyImage()).status(), StatusCode::Corrupt, "a shared object without"));
  EXPECT_TRUE(refused(read({}).status(), StatusCode::Corrupt, "got 0 bytes of something else"));
  std::string text = "amp.model @model\n";
  EXPECT_TRUE(refused(read(std::as_bytes(std::span(text))).status(), StatusCode::Corrupt,
                      "got 17 bytes of something else"));
}

TEST(ArtifactFile, RefusesAnotherAbiAndAnotherFormat) {
  Bytes abi = withFooter(tinyArtifact(), [](auto &footer) { footer.abi += 1; });
  EXPECT_TRUE(refused(read(abi).status(), StatusCode::Unsupported,
                      "expected code of ABI version " + std::to_string(SAWTOOTH_ABI_VERSION) +
                          ", got " + std::to_string(SAWTOOTH_ABI_VERSION + 1)));
  Bytes format = withFooter(tinyArtifact(), [](auto &footer) { footer.format = 7; });
  EXPECT_TRUE(refused(read(format).status(), StatusCode::Unsupported,
                      "expected an artifact of format 1, got 7"));
}

TEST(ArtifactFile, RefusesSizesThatDoNotAddUp) {
  for (auto change : {+[](SawtoothArtifactFooter &footer) { footer.imageBytes += 1; },
                      +[](SawtoothArtifactFooter &footer) { footer.imageBytes = UINT64_MAX; },
                      +[](SawtoothArtifactFooter &footer) { footer.infoBytes = UINT64_MAX; },
                      +[](SawtoothArtifactFooter &footer) {
                        footer.imageBytes -= footer.infoBytes = UINT64_MAX;
                      }})
    EXPECT_TRUE(refused(read(withFooter(tinyArtifact(), change)).status(), StatusCode::Corrupt,
                        "expected image, info and footer to make up"));
}

TEST(ArtifactFile, RefusesForeignCode) {
  Bytes image = tinyForeignImage();
  ArtifactInfo info = tinyInfo(image);
  // Here the info is wrong and the image tells.
  EXPECT_TRUE(refused(read(sealArtifact(image, info))->load().status(), StatusCode::Unsupported,
                      "expected an ELF shared object for machine 62, got one for machine 183"));
  info.target = "aarch64-unknown-linux-gnu";
  EXPECT_TRUE(refused(read(sealArtifact(image, info))->load().status(), StatusCode::Unsupported,
                      "expected code for x86_64, got code for aarch64-unknown-linux-gnu"));
}

TEST(ArtifactFile, RefusesImagesThatCannotBeLoaded) {
  Bytes image = tinyImage();
  ArtifactInfo info = tinyInfo(image);
  info.variants[1].query = "absent";
  EXPECT_TRUE(refused(read(sealArtifact(image, info))->load().status(), StatusCode::Corrupt,
                      "expected a symbol 'absent', got none"));
  Bytes small(10);
  info = tinyInfo(image);
  for (ArtifactVariant &variant : info.variants)
    variant.planOffset = variant.planBytes = 0;
  EXPECT_TRUE(refused(read(sealArtifact(small, info))->load().status(), StatusCode::Corrupt,
                      "expected an ELF header"));
  EXPECT_TRUE(refused(read(sealArtifact(small, info))->plan().status(), StatusCode::Corrupt,
                      "it: damaged plan"));
  image[16] = std::byte{2}; // e_type: an executable
  EXPECT_TRUE(refused(read(sealArtifact(image, info))->load().status(), StatusCode::Corrupt,
                      "ELF shared object"));
}

TEST(ArtifactFile, EachLoadRunsItsOwnCode) {
  // The system's loader knows libraries by path: two artifacts must not be taken for one, neither
  // at once nor one after the other.
  Bytes image = tinyImage();
  ArtifactInfo swapped = tinyInfo(image);
  std::swap(swapped.variants[0].query, swapped.variants[1].query);
  Bytes other = sealArtifact(image, swapped), first = tinyArtifact();
  for (int round = 0; round < 3; ++round) {
    auto one = read(first)->load("three");
    ASSERT_TRUE(one.ok()) << one.status().message();
    EXPECT_EQ(runTiny(*one), 3);
    one = Status::error(StatusCode::Invalid, "unloaded");
    auto two = read(other)->load("three");
    ASSERT_TRUE(two.ok()) << two.status().message();
    EXPECT_EQ(runTiny(*two), 4);
    auto both = read(first)->load("three");
    ASSERT_TRUE(both.ok()) << both.status().message();
    EXPECT_EQ(runTiny(*both), 3);
    EXPECT_EQ(runTiny(*two), 4);
  }
}

TEST(ArtifactFile, NeedsTheFileOnlyWhileItOpensIt) {
  TemporaryFolder folder;
  std::string path = folder.file("step.so");
  writeBytes(path, tinyArtifact());
  chmod(path.c_str(), 0400);
  auto file = ArtifactFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(folder.names(), std::vector<std::string>{"step.so"});
  std::filesystem::remove(path);
  writeBytes(path, std::as_bytes(std::span("another")));
  auto loaded = file->load("three");
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(runTiny(*loaded), 3);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"step.so"});
}

TEST(ArtifactFile, RefusesWhatIsNoFile) {
  TemporaryFolder folder;
  std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string &path : {pipe, folder.path.string(), std::string("/dev/zero")})
    EXPECT_TRUE(refused(ArtifactFile::open(path).status(), StatusCode::Io,
                        path + ": expected a regular file"));
  EXPECT_TRUE(refused(ArtifactFile::open(folder.file("absent")).status(), StatusCode::Io,
                      "absent: cannot open: No such file or directory"));
  std::string huge = folder.file("huge");
  writeBytes(huge, {});
  std::filesystem::resize_file(huge, uint64_t(1) << 40);
  EXPECT_TRUE(refused(ArtifactFile::open(huge).status(), StatusCode::Unsupported,
                      "expected at most 1073741824 bytes, got 1099511627776"));
}
