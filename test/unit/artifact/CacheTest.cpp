// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a cache finds and under which keys. Named after the cases that they hold off.
#include "ChildProcess.h"
#include "TinyArtifact.h"

#include "sawtooth/runtime/Cache.h"

#include "gtest/gtest.h"

#include <csignal>
#include <fstream>
#include <functional>
#include <set>

using namespace sawtooth::runtime;
using namespace sawtooth::runtime::test;

static CacheKey key(CacheKey::Kind kind, std::string_view content) {
  CacheKey key;
  key.kind = kind;
  key.content = digest(content);
  key.target = "cpu";
  key.chips = "x86-64-v3";
  key.compiler = "build 1";
  key.llvm = "22.1.8";
  return key;
}
static CacheKey moduleKey(std::string_view content = "module") {
  return key(CacheKey::Kind::Module, content);
}
static CacheKey bytesKey(std::string_view content = "bytes") {
  return key(CacheKey::Kind::Bytes, content);
}

static Cache openCache(const std::string &folder) {
  Result<Cache> cache = Cache::open(folder);
  if (!cache.ok())
    throw std::runtime_error(cache.status().message());
  return *cache;
}

// Whether the artifact of `key` is there, whole, and its code runs.
static bool holds(const Cache &cache, const CacheKey &key) {
  Cache::Found found = cache.findModule(key);
  if (!found.artifact || found.artifact->info().note("key") != key.text())
    return false;
  auto loaded = found.artifact->load("three");
  return loaded.ok() && runTiny(*loaded) == 3;
}

TEST(Cache, FindsWhatWasStored) {
  TemporaryFolder folder;
  Cache cache = openCache(folder.file("a/b"));
  EXPECT_EQ(cache.findModule(moduleKey()).why, "absent");
  EXPECT_FALSE(cache.findModule(moduleKey()).damaged);
  ASSERT_TRUE(cache.store(moduleKey(), tinyArtifact(moduleKey().text())).ok());
  EXPECT_TRUE(holds(cache, moduleKey()));
  EXPECT_EQ(cache.find(bytesKey(), folder.path).why, "absent");
  ASSERT_TRUE(cache.refer(bytesKey(), moduleKey(), {}).ok());
  Cache::Found found = cache.find(bytesKey(), folder.path);
  ASSERT_TRUE(found.artifact) << found.why;
  EXPECT_EQ(found.artifact->info().note("key"), moduleKey().text());
}

TEST(Cache, AnImportThatChangedIsAMiss) {
  TemporaryFolder folder;
  Cache cache = openCache(folder.file("cache"));
  std::string relative = "rule.mlir", absolute = folder.file("other.mlir");
  auto write = [&](const std::string &path, const char *text) {
    writeBytes(path, std::as_bytes(std::span(std::string_view(text))));
  };
  write(folder.file(relative), "one");
  write(absolute, "two");
  std::vector<CacheInput> inputs = {
      {CacheInput::Kind::File, relative, stampOf(CacheInput::Kind::File, folder.file(relative))},
      {CacheInput::Kind::File, absolute, stampOf(CacheInput::Kind::File, absolute)}};
  ASSERT_TRUE(cache.store(moduleKey(), tinyArtifact(moduleKey().text())).ok());
  ASSERT_TRUE(cache.refer(bytesKey(), moduleKey(), inputs).ok());
  EXPECT_TRUE(cache.find(bytesKey(), folder.path).artifact);

  write(absolute, "tow");
  EXPECT_EQ(cache.find(bytesKey(), folder.path).why, absolute + " has changed");
  write(absolute, "two");
  EXPECT_TRUE(cache.find(bytesKey(), folder.path).artifact);

  // The same file in another folder stands beside another rule.
  std::filesystem::create_directory(folder.file("copy"));
  EXPECT_FALSE(cache.find(bytesKey(), folder.file("copy")).artifact);
  write(folder.file("copy/rule.mlir"), "three");
  EXPECT_FALSE(cache.find(bytesKey(), folder.file("copy")).artifact);
  write(folder.file("copy/rule.mlir"), "one");
  EXPECT_TRUE(cache.find(bytesKey(), folder.file("copy")).artifact);

  std::filesystem::remove(folder.file(relative));
  EXPECT_FALSE(cache.find(bytesKey(), folder.path).artifact);
}

TEST(Cache, ALibraryThatWasReplacedIsAMiss) {
  TemporaryFolder folder;
  Cache cache = openCache(folder.file("cache"));
  std::string library = folder.file("lib.so");
  writeBytes(library, tinyImage());
  CacheInput input{CacheInput::Kind::Library, library, stampOf(CacheInput::Kind::Library, library)};
  ASSERT_EQ(input.stamp.size(), 40u) << "a SHA-1 in hexadecimal, got " << input.stamp;
  ASSERT_TRUE(cache.store(moduleKey(), tinyArtifact(moduleKey().text())).ok());
  ASSERT_TRUE(cache.refer(bytesKey(), moduleKey(), {&input, 1}).ok());
  EXPECT_TRUE(cache.find(bytesKey(), folder.path).artifact);
  writeBytes(library, tinyForeignImage());
  EXPECT_EQ(cache.find(bytesKey(), folder.path).why, library + " has changed");
  // Whoever cannot tell whether an input will change must not refer to it.
  input.stamp = stampOf(CacheInput::Kind::Library, folder.file("absent"));
  EXPECT_FALSE(cache.refer(bytesKey(), moduleKey(), {&input, 1}).ok());
}

TEST(Cache, B54_ManyWritersNeverMixEntries) {
  TemporaryFolder folder;
  std::vector<pid_t> children;
  for (int child = 0; child < 16; ++child)
    children.push_back(start([&, child] {
      Cache cache = openCache(folder.path);
      for (int round = 0; round < 50; ++round) {
        std::string content = std::to_string((child + round) % 8);
        CacheKey module = moduleKey(content), bytes = bytesKey(content);
        Cache::Found found = cache.find(bytes, folder.path);
        if (found.damaged || (found.artifact && !holds(cache, module)))
          return 1;
        if (found.artifact && found.artifact->info().note("key") != module.text())
          return 2;
        if (found.artifact && round % 8)
          continue;
        if (!cache.store(module, tinyArtifact(module.text())).ok() ||
            !cache.refer(bytes, module, {}).ok() || !holds(cache, module))
          return 3;
      }
      return 0;
    }));
  for (pid_t child : children)
    EXPECT_EQ(finish(child), 0);
  Cache cache = openCache(folder.path);
  for (int content = 0; content < 8; ++content)
    EXPECT_TRUE(holds(cache, moduleKey(std::to_string(content))));
  EXPECT_EQ(folder.names().size(), 16u) << "an artifact and a reference a key, nothing else";
}

TEST(Cache, B54_AWriterThatIsKilledLeavesAWholeEntryOrNone) {
  TemporaryFolder folder;
  Cache cache = openCache(folder.path);
  Bytes artifact = tinyArtifact(moduleKey().text());
  for (int round = 0; round < 40; ++round) {
    pid_t writer = start([&] {
      for (;;)
        (void)cache.store(moduleKey(), artifact);
      return 0;
    });
    usleep(500 * static_cast<unsigned>(round));
    kill(writer, SIGKILL);
    ASSERT_EQ(finish(writer), 128 + SIGKILL);
    Cache::Found found = cache.findModule(moduleKey());
    EXPECT_TRUE(found.artifact || found.why == "absent") << found.why;
  }
  ASSERT_TRUE(cache.store(moduleKey(), artifact).ok());
  EXPECT_TRUE(holds(cache, moduleKey()));
}

TEST(Cache, B54_AnEntryCutToAnyLengthIsAMissAndIsReplaced) {
  TemporaryFolder folder;
  Cache cache = openCache(folder.path);
  ASSERT_TRUE(cache.refer(bytesKey(), moduleKey(), {}).ok());
  ASSERT_TRUE(cache.store(moduleKey(), tinyArtifact(moduleKey().text())).ok());
  std::vector<std::string> names = folder.names();
  ASSERT_EQ(names.size(), 2u);
  for (const std::string &name : names) {
    Bytes whole = readBytes(folder.file(name));
    for (size_t size = whole.size(); size-- > 0;) {
      std::filesystem::resize_file(folder.file(name), size);
      Cache::Found found = cache.find(bytesKey(), folder.path);
      ASSERT_FALSE(found.artifact) << name << " of " << size << " bytes";
      ASSERT_TRUE(found.damaged) << name << " of " << size << " bytes";
    }
    ASSERT_TRUE(cache.store(moduleKey(), tinyArtifact(moduleKey().text())).ok());
    ASSERT_TRUE(cache.refer(bytesKey(), moduleKey(), {}).ok());
    ASSERT_TRUE(cache.find(bytesKey(), folder.path).artifact);
    EXPECT_EQ(readBytes(folder.file(name)), whole);
  }
}

TEST(Cache, EveryBitFlipOfAReferenceIsAMiss) {
  TemporaryFolder folder;
  Cache cache = openCache(folder.path);
  ASSERT_TRUE(cache.store(moduleKey(), tinyArtifact(moduleKey().text())).ok());
  ASSERT_TRUE(cache.refer(bytesKey(), moduleKey(), {}).ok());
  std::string path = folder.file(bytesKey().name() + ".ref");
  Bytes whole = readBytes(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  auto put = [&](size_t byte, unsigned flipped) {
    file.seekp(std::streamoff(byte));
    file.put(static_cast<char>(std::to_integer<unsigned>(whole[byte]) ^ flipped));
    file.flush();
  };
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    put(bit / 8, 1u << bit % 8);
    ASSERT_TRUE(cache.find(bytesKey(), folder.path).damaged) << "bit " << bit;
    put(bit / 8, 0);
  }
  EXPECT_TRUE(cache.find(bytesKey(), folder.path).artifact);
}

TEST(Cache, B55_EachIngredientAloneMakesAnotherKey) {
  std::vector<std::function<void(CacheKey &)>> changes = {
      [](CacheKey &key) { key.kind = CacheKey::Kind::Bytes; },
      [](CacheKey &key) { key.content.low ^= 1; },
      [](CacheKey &key) { key.content.high ^= 1; },
      [](CacheKey &key) { key.target = "nvptx"; },
      [](CacheKey &key) { key.chips = "x86-64-v4"; },
      [](CacheKey &key) { key.chips = "x86-64-v3,x86-64-v4"; },
      [](CacheKey &key) { key.host = "GenuineIntel 1 avx2"; },
      [](CacheKey &key) { key.host = "GenuineIntel 1 avx2 fma"; },
      [](CacheKey &key) { key.batch = 32; },
      [](CacheKey &key) { key.options = "a"; },
      [](CacheKey &key) { key.options = "a\\n"; },
      [](CacheKey &key) { key.options = "a\n"; },
      [](CacheKey &key) { key.compiler = "build 2"; },
      [](CacheKey &key) { key.llvm = "22.1.9"; },
      [](CacheKey &key) { key.abi += 1; },
      [](CacheKey &key) { key.format += 1; },
      // The same letters in another place.
      [](CacheKey &key) { key.compiler = "build 122.1.8", key.llvm = ""; },
  };
  std::set<std::string> texts = {moduleKey().text()}, names = {moduleKey().name()};
  for (const auto &change : changes) {
    CacheKey changed = moduleKey();
    change(changed);
    EXPECT_TRUE(texts.insert(changed.text()).second) << changed.text();
    EXPECT_TRUE(names.insert(changed.name()).second) << changed.text();
    EXPECT_EQ(changed.text().find('\n'), std::string::npos) << changed.text();
  }
}

TEST(Cache, B55_AnEntryUnderTheWrongKeyIsAMissAndIsRepaired) {
  TemporaryFolder folder;
  Cache cache = openCache(folder.path);
  CacheKey v3 = moduleKey(), v4 = moduleKey();
  v4.chips = "x86-64-v4";
  ASSERT_TRUE(cache.store(v4, tinyArtifact(v4.text())).ok());
  ASSERT_TRUE(cache.refer(bytesKey(), v3, {}).ok());
  std::filesystem::copy_file(folder.file(v4.name() + ".so"), folder.file(v3.name() + ".so"));
  Cache::Found found = cache.findModule(v3);
  EXPECT_FALSE(found.artifact);
  EXPECT_TRUE(found.damaged);
  EXPECT_NE(found.why.find("it is for another key"), std::string::npos) << found.why;
  EXPECT_FALSE(cache.find(bytesKey(), folder.path).artifact);
  ASSERT_TRUE(cache.store(v3, tinyArtifact(v3.text())).ok());
  EXPECT_TRUE(holds(cache, v3));
  EXPECT_TRUE(cache.find(bytesKey(), folder.path).artifact);

  std::filesystem::copy_file(folder.file(bytesKey().name() + ".ref"),
                             folder.file(bytesKey("other").name() + ".ref"));
  EXPECT_TRUE(cache.find(bytesKey("other"), folder.path).damaged);
}
