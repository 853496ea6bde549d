// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SgdFixture.h"

#include "sawtooth/runtime/SafeTensors.h"

#include <cstring>
#include <random>
#include <sys/stat.h>

using namespace sawtooth::test;

namespace {

std::string fileOf(const std::string &header, const std::string &data) {
  uint64_t length = header.size();
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  return out + header + data;
}

class SafeTensors : public ::testing::Test {
protected:
  Folder folder;

  std::string messageOf(const std::string &content) {
    std::string path = folder.write("f.safetensors", content);
    auto file = TensorFile::open(path);
    if (file.ok())
      return "ok";
    EXPECT_EQ(file.status().code(), StatusCode::Corrupt);
    EXPECT_EQ(file.status().message().substr(0, path.size() + 2), path + ": ");
    return file.status().message().substr(path.size() + 2);
  }
};

TEST_F(SafeTensors, ReadsAFileWrittenByHand) {
  std::string header =
      R"({"__metadata__":{"a":"b"},"w":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
      R"("empty":{"dtype":"U8","shape":[0,5],"data_offsets":[8,8]},)"
      R"("s":{"data_offsets":[8,10],"shape":[],"dtype":"BF16"}}   )";
  std::string path = folder.write(
      "f.safetensors", fileOf(header, std::string("\0\0\x80\x3f\0\0\0\x40\x80\x3f", 10)));
  auto file = TensorFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ((*file)->metadata().at("a"), "b");
  ASSERT_EQ((*file)->tensors().size(), 3u);
  EXPECT_EQ((*file)->tensors()[0].name, "empty"); // in byte order
  EXPECT_EQ((*file)->tensors()[0].type, std::nullopt);
  const TensorEntry *w = (*file)->find("w");
  ASSERT_TRUE(w);
  EXPECT_EQ(w->type, SAWTOOTH_F32);
  EXPECT_EQ(w->dims, (std::vector<int64_t>{2, 1}));
  float values[2];
  std::memcpy(values, w->data, 8);
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], 2.0f);
  EXPECT_EQ((*file)->find("s")->dims.size(), 0u);
  EXPECT_EQ((*file)->find("x"), nullptr);
}

TEST_F(SafeTensors, RefusesHostileFiles) {
  auto one = [](const char *entry, size_t bytes = 8) {
    return fileOf(std::string("{\"a\":") + entry + "}", std::string(bytes, '\0'));
  };
  EXPECT_EQ(messageOf(one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})")), "ok");
  struct Case {
    std::string content, message;
  } cases[] = {
      {"", "expected at least 8 bytes, got 0"},
      {"1234567", "expected at least 8 bytes, got 7"},
      {std::string(8, '\xff'), "expected a header of 18446744073709551615 bytes, got 0"},
      {fileOf("{}", "x"), "expected 0 bytes of data, got 1"},
      {fileOf("{\"a\":", ""), "the header is no valid JSON at byte 6"},
      {fileOf("{} {}", ""), "the header is no valid JSON at byte 4"},
      {fileOf("[]", ""), "did not expect an array for the header"},
      {fileOf("7", ""), "did not expect a number for the header"},
      {fileOf("{\"\xff\":1}", ""), "the header is no valid JSON at byte 3"},
      {one("7"), "did not expect a number here"},
      {one("null"), "did not expect null here"},
      {one(R"({"dtype":"F32","shape":[2]})"),
       "tensor 'a': expected 'dtype', 'shape' and 'data_offsets'"},
      {one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1})"),
       "tensor 'a': expected 'dtype', 'shape' and 'data_offsets', got 'x'"},
      {one(R"({"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]})"),
       "tensor 'a': two values of 'dtype'"},
      {one(R"({"dtype":"F31","shape":[2],"data_offsets":[0,8]})"),
       "tensor 'a': unknown dtype 'F31'"},
      {one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,9]})"),
       "tensor 'a': expected offsets in order within 8 bytes, got 0 and 9"},
      {one(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"),
       "tensor 'a': expected offsets in order within 8 bytes, got 8 and 0"},
      {one(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})"),
       "tensor 'a': expected 12 bytes for F32 of 3, got 8"},
      {one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8,8]})"),
       "tensor 'a': expected two offsets, got 3"},
      {one(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})"),
       "tensor 'a': expected sizes from 0, got -2"},
      {one(R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})"),
       "tensor 'a': expected whole 64-bit numbers, got 2.0"},
      {one(R"({"dtype":"F32","shape":[[2]],"data_offsets":[0,8]})"),
       "tensor 'a': did not expect an array here"},
      {one(R"({"dtype":["F32"],"shape":[2],"data_offsets":[0,8]})"),
       "tensor 'a': did not expect an array here"},
      // 2^62 * 4 * 4 bytes is 2^66: 0 in 64 bits.
      {one(R"({"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]})", 0),
       "tensor 'a': its shape has more elements than 64 bits can count"},
      {one(R"({"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8]})"),
       "tensor 'a': its shape has more elements than 64 bits can count"},
      {fileOf(R"({"__metadata__":{"a":1}})", ""), "did not expect a number in the metadata"},
      {fileOf(R"({"__metadata__":{"a":"1","a":"2"}})", ""),
       "two entries of the metadata have one name"},
      {fileOf(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
              R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
              std::string(8, 0)),
       "two entries have the name 'a'"},
      {fileOf(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
              R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
              std::string(8, 0)),
       "tensor 'b' overlaps another: expected its data at byte 8, got 4"},
      {fileOf(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
              R"("b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
              std::string(12, 0)),
       "tensor 'b' comes after a gap: expected its data at byte 4, got 8"},
  };
  for (const Case &one : cases)
    EXPECT_EQ(messageOf(one.content), one.message) << one.content;
  std::string deep = "{\"a\":";
  EXPECT_EQ(messageOf(fileOf(std::string(1'000'000, '['), "")),
            "did not expect an array for the header");
  EXPECT_EQ(messageOf(fileOf(deep + "{\"shape\":" + std::string(1'000'000, '['), "")),
            "tensor 'a': did not expect an array here");
}

TEST_F(SafeTensors, RefusesEveryTruncation) {
  std::string whole =
      fileOf(R"({"a":{"dtype":"I64","shape":[2],"data_offsets":[0,16]}})", std::string(16, 'x'));
  EXPECT_EQ(messageOf(whole), "ok");
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(messageOf(whole.substr(0, length)), "ok") << length;
}

TEST_F(SafeTensors, SurvivesRandomDamage) {
  std::string whole =
      fileOf(R"({"__metadata__":{"k":"v"},"a":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},)"
             R"("b":{"dtype":"BOOL","shape":[],"data_offsets":[16,17]}})",
             std::string(17, 'x'));
  std::mt19937 random(1);
  int refused = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::string damaged = whole;
    for (int change = 0; change < 2; ++change)
      damaged[random() % damaged.size()] = char(random());
    refused += messageOf(damaged) != "ok";
  }
  EXPECT_GT(refused, 75);
}

TEST_F(SafeTensors, SaysWhyAFileCannotBeRead) {
  std::string missing = folder.file("missing");
  EXPECT_EQ(TensorFile::open(missing).status().message(), missing + ": No such file or directory");
  EXPECT_EQ(TensorFile::open(folder.path).status().message(),
            folder.path.string() + ": expected a regular file");
  std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(TensorFile::open(pipe).status().message(), pipe + ": expected a regular file");
}

TEST_F(SafeTensors, WritesBytesThatOnlyDependOnTheContent) {
  double wide[] = {1, 2};
  uint16_t narrow[] = {0x3c00};
  uint8_t flag = 1;
  std::vector<TensorSource> tensors = {{"z\"\n", SAWTOOTH_F16, {1}, narrow},
                                       {"flag", SAWTOOTH_I1, {}, &flag},
                                       {"a", SAWTOOTH_F64, {2}, wide}};
  std::string path = folder.file("out.safetensors");
  ASSERT_STATUS_OK(writeTensorFile(path, tensors, {{"k", "v"}}));
  std::string first = contentOf(path);
  std::string header = R"({"__metadata__":{"k":"v"},)"
                       R"("a":{"dtype":"F64","shape":[2],"data_offsets":[0,16]},)"
                       R"("z\"\n":{"dtype":"F16","shape":[1],"data_offsets":[16,18]},)"
                       R"("flag":{"dtype":"BOOL","shape":[],"data_offsets":[18,19]}})";
  header.append((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(first.substr(8, first.size() - 8 - 19), header);
  EXPECT_EQ(first.size() % 8, 19u % 8);
  std::swap(tensors[0], tensors[2]);
  ASSERT_STATUS_OK(writeTensorFile(path, tensors, {{"k", "v"}}));
  EXPECT_EQ(contentOf(path), first);
  auto file = TensorFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ((*file)->find("z\"\n")->bytes, 2u);
}

TEST_F(SafeTensors, ReplacesWholeFilesOrNothing) {
  std::string old = folder.write("state", "old");
  std::string text = "new";
  std::span<const std::byte> piece = std::as_bytes(std::span(text));
  ASSERT_STATUS_OK(replaceFile(old, {&piece, 1}));
  EXPECT_EQ(contentOf(old), "new");
  std::string nowhere = folder.file("no/such/folder");
  Status status = replaceFile(nowhere, {&piece, 1});
  EXPECT_EQ(status.code(), StatusCode::Io);
  EXPECT_NE(status.message().find("cannot create: No such file or directory"), std::string::npos);
  // A device or folder is not replaced by a file.
  EXPECT_EQ(replaceFile(folder.path, {&piece, 1}).message(),
            folder.path.string() + ": expected a regular file to replace");
  EXPECT_FALSE(replaceFile("/dev/null", {&piece, 1}).ok());
  size_t files = 0;
  for ([[maybe_unused]] auto &entry : std::filesystem::directory_iterator(folder.path))
    ++files;
  EXPECT_EQ(files, 1u); // no temporary file is left
}

TEST_F(SafeTensors, BindingCopiesStateAndReadsArgumentsInPlace) {
  // The header's length is odd on purpose: the f16 of g lie at an odd address.
  std::string data("\0\0\x80\x3f\0\x3c", 6);
  std::string header = R"({"w.a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                       R"("g.a":{"dtype":"F16","shape":[1],"data_offsets":[4,6]}})";
  for (size_t pad : {0u, 1u}) {
    std::string padded = header;
    padded.append((8 - padded.size() % 8) % 8 + pad, ' ');
    std::string path = folder.write("f.safetensors", fileOf(padded, data));
    auto file = TensorFile::open(path);
    ASSERT_TRUE(file.ok());
    Sgd sgd;
    ASSERT_STATUS_OK(sgd.store->bindFile(Sgd::W, *file, "w."));
    ASSERT_STATUS_OK(sgd.store->bindFile(Sgd::G, *file, "g."));
    ASSERT_STATUS_OK(sgd.store->finish());
    EXPECT_NE(sgd.store->buffers(Sgd::W)[0], static_cast<const void *>((*file)->find("w.a")->data));
    EXPECT_EQ(sgd.store->buffers(Sgd::G)[0] ==
                  static_cast<const void *>((*file)->find("g.a")->data),
              pad == 0);
    sgd.slot("s.scale") = std::bit_cast<uint32_t>(1.0f);
    sgd.executor()->run();
    EXPECT_EQ(sgd.elements<float>(Sgd::W, 0)[0], 0.0f);
    EXPECT_EQ(contentOf(path), fileOf(padded, data)); // never written
  }
}

TEST_F(SafeTensors, BindingNamesWhatDoesNotFit) {
  std::string path = folder.write(
      "f.safetensors",
      fileOf(R"({"w.a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})", std::string(2, 0)));
  auto file = TensorFile::open(path);
  ASSERT_TRUE(file.ok());
  Sgd sgd;
  EXPECT_EQ(sgd.store->bindFile(Sgd::W, *file, "w.").message(),
            path + ": tensor 'w.a' for list 'w': expected F32, got F16");
  EXPECT_EQ(sgd.store->bindFile(Sgd::W, *file, "x.").message(),
            path + ": no tensor's name begins with 'x.'; there are 'w.a'");
}

} // namespace
