// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whom a cache trusts, and what it does when the file system refuses: case B57.
#include "ChildProcess.h"
#include "TinyArtifact.h"

#include "sawtooth/runtime/Cache.h"

#include "gtest/gtest.h"

#include <csignal>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace sawtooth::runtime;
using namespace sawtooth::runtime::test;

static CacheKey key() {
  CacheKey key;
  key.kind = CacheKey::Kind::Module;
  key.content = digest(std::string_view("module"));
  return key;
}

static Bytes artifact() { return tinyArtifact(key().text()); }

// Somebody whom permissions bind. Root may write everywhere, so it becomes nobody.
static constexpr uid_t nobody = 65534;
static bool becomeNobody() {
  return geteuid() != 0 || (setgid(nobody) == 0 && setuid(nobody) == 0);
}
static void giveToNobody(const std::string &path) {
  if (geteuid() == 0 && chown(path.c_str(), nobody, nobody) != 0)
    throw std::runtime_error("cannot give away " + path);
}

TEST(CacheFolder, IsMadeForThisUserAlone) {
  TemporaryFolder folder;
  mode_t before = umask(0);
  auto cache = Cache::open(folder.file("a/b"));
  umask(before);
  ASSERT_TRUE(cache.ok()) << cache.status().message();
  ASSERT_TRUE(cache->store(key(), artifact()).ok());
  for (const char *name : {"a", "a/b"}) {
    struct stat info;
    ASSERT_EQ(stat(folder.file(name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0700u) << name;
  }
  struct stat info;
  ASSERT_EQ(stat((folder.file("a/b/") + key().name() + ".so").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
}

TEST(CacheFolder, B57_RefusesAFolderThatOthersMayWrite) {
  TemporaryFolder folder;
  std::string path = folder.file("cache");
  for (mode_t mode : {0777u, 0770u, 0707u, 01777u}) {
    std::filesystem::remove_all(path);
    ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    auto cache = Cache::open(path);
    ASSERT_FALSE(cache.ok()) << std::oct << mode;
    EXPECT_EQ(cache.status().code(), StatusCode::Unsupported);
    EXPECT_EQ(cache.status().message(), path + ": this folder can be written by others");
  }
}

TEST(CacheFolder, B57_RefusesAFolderOfAnotherUser) {
  TemporaryFolder folder;
  std::string path = folder.file("cache");
  ASSERT_EQ(mkdir(path.c_str(), 0755), 0);
  if (geteuid() == 0)
    giveToNobody(path);
  else
    path = "/usr"; // root's, and as closed to us as it should be
  auto cache = Cache::open(path);
  ASSERT_FALSE(cache.ok());
  EXPECT_NE(cache.status().message().find(path + ": this folder belongs to user "),
            std::string::npos)
      << cache.status().message();
}

TEST(CacheFolder, B57_DoesNotTrustAnEntryThatOthersMayWrite) {
  TemporaryFolder folder;
  auto cache = Cache::open(folder.path);
  ASSERT_TRUE(cache.ok()) << cache.status().message();
  ASSERT_TRUE(cache->store(key(), artifact()).ok());
  std::string entry = folder.file(key().name() + ".so");
  ASSERT_EQ(chmod(entry.c_str(), 0666), 0);
  EXPECT_TRUE(cache->findModule(key()).damaged);
  // A link may lead to what somebody else changes.
  std::filesystem::rename(entry, folder.file("elsewhere"));
  ASSERT_EQ(chmod(folder.file("elsewhere").c_str(), 0600), 0);
  std::filesystem::create_symlink(folder.file("elsewhere"), entry);
  EXPECT_TRUE(cache->findModule(key()).damaged);
  ASSERT_TRUE(cache->store(key(), artifact()).ok());
  EXPECT_TRUE(cache->findModule(key()).artifact);
}

TEST(CacheFolder, B57_SaysWhyAFolderCannotBe) {
  TemporaryFolder folder;
  writeBytes(folder.file("file"), {});
  for (const std::string &path :
       {std::string("/proc/x"), folder.file("file"), folder.file("file/below"), std::string("")}) {
    auto cache = Cache::open(path);
    ASSERT_FALSE(cache.ok()) << path;
    EXPECT_EQ(cache.status().code(), StatusCode::Io) << cache.status().message();
  }
}

TEST(CacheFolder, B57_AReadOnlyFolderStillHits) {
  TemporaryFolder folder;
  giveToNobody(folder.path);
  EXPECT_EQ(inChild([&] {
              if (!becomeNobody())
                return 1;
              auto cache = Cache::open(folder.path);
              if (!cache.ok() || !cache->store(key(), artifact()).ok())
                return 2;
              if (chmod(folder.path.c_str(), 0500) != 0)
                return 3;
              cache = Cache::open(folder.path);
              if (!cache.ok() || !cache->findModule(key()).artifact)
                return 4;
              Status stored = cache->store(key(), artifact());
              return stored.code() == StatusCode::Io && folder.names().size() == 1 ? 0 : 5;
            }),
            0);
}

// Whether a store that cannot be finished says so, leaves nothing, and does not harm what is there.
static int storeInVain(const std::string &folder, bool entryBefore) {
  auto cache = Cache::open(folder);
  if (!cache.ok())
    return 1;
  if (cache->store(key(), artifact()).code() != StatusCode::Io)
    return 2;
  Cache::Found found = cache->findModule(key());
  if (found.artifact.has_value() != entryBefore || found.damaged)
    return 3;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".tmp")
      return 4;
  return 0;
}

TEST(CacheFolder, B57_AFileThatMayNotGrowLeavesNoPartialEntry) {
  TemporaryFolder folder;
  auto limited = [&](bool entryBefore) {
    return inChild([&] {
      signal(SIGXFSZ, SIG_IGN);
      rlimit limit = {1000, 1000};
      return setrlimit(RLIMIT_FSIZE, &limit) == 0 ? storeInVain(folder.path, entryBefore) : 10;
    });
  };
  // Files in memory obey the limit too, so the reader's copy cannot be made either; look from here.
  EXPECT_EQ(limited(false), 0);
  EXPECT_TRUE(folder.names().empty());
}

static void fill(const std::string &disk) {
  int file = open((disk + "/ballast").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  char page[4096] = {};
  while (write(file, page, sizeof(page)) > 0) {
  }
  close(file);
}

TEST(CacheFolder, B57_AFullDiskLeavesNoPartialEntry) {
  TemporaryFolder folder;
  const std::string &disk = folder.path;
  constexpr int cannotMount = 77;
  int result = inChild([&] {
    // Nobody else sees what is mounted here, and it goes with this process.
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
        mount("none", disk.c_str(), "tmpfs", 0, "size=64k,mode=700"))
      return cannotMount;
    fill(disk);
    if (int failed = storeInVain(disk, false))
      return failed;
    std::filesystem::remove(disk + "/ballast");
    auto cache = Cache::open(disk);
    if (!cache.ok() || !cache->store(key(), artifact()).ok())
      return 20;
    fill(disk);
    int failed = storeInVain(disk, true);
    return failed ? 20 + failed : 0;
  });
  if (result == cannotMount)
    GTEST_SKIP() << "needs the right to mount a small file system";
  EXPECT_EQ(result, 0);
}

TEST(CacheFolder, SweepsWhatKilledWritersLeft) {
  TemporaryFolder folder;
  auto cache = Cache::open(folder.path);
  ASSERT_TRUE(cache.ok()) << cache.status().message();
  for (const char *name : {"old.tmp", "young.tmp", "old.so"})
    writeBytes(folder.file(name), {});
  auto longAgo = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
  for (const char *name : {"old.tmp", "old.so"})
    std::filesystem::last_write_time(folder.file(name), longAgo);
  ASSERT_TRUE(cache->store(key(), artifact()).ok());
  EXPECT_FALSE(std::filesystem::exists(folder.file("old.tmp")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("young.tmp")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("old.so")));
}
