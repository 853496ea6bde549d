// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The C API, as a program sees it that has nothing of LLVM: only the shared library is linked.
#include "sawtooth-c/Compiler.h"

#include "gtest/gtest.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

const std::string examples = SAWTOOTH_SOURCE_DIR "/examples/";

void append(const char *text, size_t size, void *user) {
  static_cast<std::string *>(user)->append(text, size);
}
void collect(const char *text, size_t size, void *user) {
  static_cast<std::vector<std::string> *>(user)->emplace_back(text, size);
}

class CompilerLibrary : public ::testing::Test {
protected:
  std::vector<std::string> diagnostics;
  SawtoothCompileOptions options{"cpu", "native", 0, collect, &diagnostics, nullptr, nullptr};

  /// A file with `text` in a folder of this test's own.
  std::string file(const std::string &name, const std::string &text) {
    std::string path = ::testing::TempDir() + "sawtooth-" + std::to_string(getpid()) + "-" + name;
    std::ofstream(path) << text;
    return path;
  }
  int emit(const std::string &path, const char *stage, std::string &output) {
    output.clear();
    return sawtoothEmitFile(path.c_str(), stage, &options, append, &output);
  }
};

template <typename Row>
const Row *rows(const SawtoothPlan *plan, const SawtoothTable &table) {
  return reinterpret_cast<const Row *>(reinterpret_cast<const char *>(plan) + table.offset);
}

TEST_F(CompilerLibrary, CompilesAStepIntoThisProcess) {
  for (const char *chip : {"native", "x86-64-v3"}) {
    options.chip = chip;
    SawtoothCompiled *compiled =
        sawtoothCompileFile((examples + "adamw/step.mlir").c_str(), &options);
    ASSERT_TRUE(compiled) << diagnostics.at(0);
    const SawtoothArtifact *artifact = sawtoothCompiledArtifact(compiled);
    const SawtoothPlan *plan = artifact->plan;
    EXPECT_EQ(plan->abi, SAWTOOTH_ABI_VERSION);
    ASSERT_EQ(plan->steps.count, 1u);
    const auto *step = rows<SawtoothStepRow>(plan, plan->steps);
    // 30 bytes a parameter: 2 to look at the gradients, 28 to update; none of them can be spared.
    uint32_t passes = 0, bytes = 0;
    const auto *actions = rows<SawtoothActionRow>(plan, plan->actions);
    const auto *accesses = rows<SawtoothAccess>(plan, plan->accesses);
    for (uint32_t i = 0; i < step->actions.count; ++i) {
      const SawtoothActionRow &action = actions[step->actions.first + i];
      passes += action.kind == SAWTOOTH_PASS;
      for (SawtoothRange range : {action.reads, action.writes})
        for (uint32_t a = 0; a < range.count; ++a)
          bytes += accesses[range.first + a].bytes;
    }
    EXPECT_EQ(passes, 2u);
    EXPECT_EQ(bytes, 30u);
    EXPECT_EQ(step->lowerBound, 30u);
    sawtoothCompiledDestroy(compiled);
  }
}

TEST_F(CompilerLibrary, EmitsEveryStageTheSameWayTwice) {
  const std::pair<const char *, const char *> stages[] = {
      {"amp", "amp.step @train"},      {"sweep", "sweep.pass over @model"},
      {"kernel", "func.func @train."}, {"llvm", "define internal void @train."},
      {"asm", "sawtooth_query:"},      {"obj", "ELF"}};
  for (auto [stage, expected] : stages) {
    std::string first, second;
    EXPECT_EQ(emit(examples + "adamw/step.mlir", stage, first), 0);
    EXPECT_EQ(emit(examples + "adamw/step.mlir", stage, second), 0);
    EXPECT_NE(first.find(expected), std::string::npos) << stage;
    EXPECT_EQ(first, second) << stage;
  }
  std::string none;
  EXPECT_EQ(emit(examples + "adamw/step.mlir", "verify", none), 0);
  EXPECT_EQ(none, "");
  EXPECT_TRUE(diagnostics.empty());
}

TEST_F(CompilerLibrary, SaysWhereInWhichFile) {
  std::string path = file("broken.mlir", "amp.model @model\n  amp.state @w : !amp.nothing\n");
  std::string output;
  EXPECT_EQ(emit(path, "obj", output), 1);
  EXPECT_EQ(output, "");
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_EQ(diagnostics[0].substr(0, path.size() + 5), path + ":2:23") << diagnostics[0];
  EXPECT_NE(diagnostics[0].find("error: "), std::string::npos);
  std::remove(path.c_str());
}

TEST_F(CompilerLibrary, RefusesWhatWouldOverflowTheParsersStack) {
  auto nested = [](const std::string &open, const std::string &close, size_t depth) {
    std::string text;
    for (size_t i = 0; i < depth; ++i)
      text += open;
    for (size_t i = 0; i < depth; ++i)
      text += close;
    return text;
  };
  auto repeats = [&](size_t depth) {
    return "amp.program @p {" + nested("amp.repeat 1 {", "}", depth - 1) + "}\n";
  };
  std::string output;
  for (const std::string &text :
       {"module attributes {a = " + nested("[", "]", 100000) + "} {}\n", repeats(20000),
        "func.func private @f(" + nested("tuple<", ">", 100000) + ")\n",
        // Brackets in strings and comments, and arrows, close nothing.
        nested("{ // }\n", "}", 201), nested("\")\\\"]\" (", ")", 201), nested("-> (", ")", 201)}) {
    diagnostics.clear();
    std::string path = file("deep.mlir", text);
    EXPECT_EQ(emit(path, "verify", output), 1);
    ASSERT_FALSE(diagnostics.empty());
    EXPECT_NE(diagnostics[0].find(
                  "error: expected brackets to nest at most 200 deep, aliases included, got more"),
              std::string::npos)
        << diagnostics[0];
    std::remove(path.c_str());
  }
  // The deepest that is allowed does parse.
  diagnostics.clear();
  std::string path = file("deep.mlir", repeats(200));
  emit(path, "verify", output);
  for (const std::string &diagnostic : diagnostics)
    EXPECT_EQ(diagnostic.find("nest"), std::string::npos) << diagnostic;
  std::remove(path.c_str());
}

TEST_F(CompilerLibrary, RefusesBytecode) {
  std::string path = file("bytecode.mlir", "ML\xefR junk");
  std::string output;
  EXPECT_EQ(emit(path, "verify", output), 1);
  EXPECT_NE(diagnostics.at(0).find("expected the text of a module, got MLIR bytecode"),
            std::string::npos);
  std::remove(path.c_str());
}

TEST_F(CompilerLibrary, RefusesWhatItDoesNotKnow) {
  std::string output;
  EXPECT_EQ(emit("/does/not/exist.mlir", "obj", output), 1);
  EXPECT_NE(diagnostics.at(0).find("cannot read '/does/not/exist.mlir'"), std::string::npos);
  diagnostics.clear();
  EXPECT_EQ(emit(examples + "adamw/step.mlir", "object", output), 1);
  EXPECT_NE(diagnostics.at(0).find("expected a stage, got 'object'; there are amp, sweep, kernel"),
            std::string::npos);
  diagnostics.clear();
  options.chip = "pentium";
  EXPECT_EQ(sawtoothCompileFile((examples + "adamw/step.mlir").c_str(), &options), nullptr);
  EXPECT_NE(
      diagnostics.at(0).find("expected a chip of target cpu, got 'pentium'; there are native"),
      std::string::npos);
  diagnostics.clear();
  options.chip = "native";
  options.target = "tpu";
  EXPECT_EQ(sawtoothCompileFile((examples + "adamw/step.mlir").c_str(), &options), nullptr);
  EXPECT_NE(diagnostics.at(0).find("expected a target, got 'tpu'; there are cpu"),
            std::string::npos);
}

TEST_F(CompilerLibrary, SurvivesWithoutAReceiverOfDiagnostics) {
  SawtoothCompileOptions silent{};
  EXPECT_EQ(sawtoothCompileFile("/does/not/exist.mlir", &silent), nullptr);
}

std::string digestOf(const std::string &text, const SawtoothCompileOptions &options) {
  SawtoothInput *input = sawtoothReadInput("some/step.mlir", text.data(), text.size(), &options);
  std::string digest = input ? sawtoothInputDigest(input) : "";
  sawtoothInputDestroy(input);
  return digest;
}

TEST_F(CompilerLibrary, DigestsWhatAModuleMeans) {
  std::string text = "amp.model @m\namp.state @x : f64 = 1.0\namp.optimizer @o by @adamw over @m "
                     "{beta1 = 0.9, beta2 = 0.99}\n";
  std::string same = "// said otherwise\n\n amp.model @m\n\tamp.state @x : f64 = 1.0\n"
                     "amp.optimizer @o by @adamw over @m {beta2 = 0.99, beta1 = 0.9}";
  std::string other = text;
  other.replace(other.find("0.99"), 4, "0.98");
  std::string digest = digestOf(text, options);
  EXPECT_EQ(digest.size(), 32u) << (diagnostics.empty() ? "" : diagnostics[0]);
  EXPECT_EQ(digestOf(same, options), digest);
  EXPECT_NE(digestOf(other, options), digest);
  EXPECT_EQ(digestOf("amp.model", options), "");
}

TEST_F(CompilerLibrary, TellsWhatWasImported) {
  std::string rule = file("imported.mlir", "");
  std::string name = rule.substr(rule.rfind('/') + 1), folder = rule.substr(0, rule.rfind('/') + 1);
  std::string text = "amp.import \"" + name + "\"\n";
  SawtoothInput *input =
      sawtoothReadInput((folder + "main.mlir").c_str(), text.data(), text.size(), &options);
  ASSERT_TRUE(input) << diagnostics.at(0);
  EXPECT_STREQ(sawtoothInputImportPath(input, 0), name.c_str());
  // XXH3-128 of nothing.
  EXPECT_STREQ(sawtoothInputImportDigest(input, 0), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(sawtoothInputImportPath(input, 1), nullptr);
  EXPECT_EQ(sawtoothInputImportDigest(input, 1), nullptr);
  sawtoothInputDestroy(input);
  std::remove(rule.c_str());
}

TEST_F(CompilerLibrary, MakesOneArtifactForSeveralChips) {
  std::ifstream stream(examples + "adamw/step.mlir");
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_TRUE(sawtoothHasLinker(&options));
  SawtoothInput *input = sawtoothReadInput("step.mlir", text.data(), text.size(), &options);
  ASSERT_TRUE(input) << diagnostics.at(0);
  std::string before = sawtoothInputDigest(input), one, two;
  // In any order: the least demanding comes first.
  EXPECT_EQ(sawtoothInputArtifact(input, "x86-64-v4,x86-64-v3", "some key", append, &one), 0);
  EXPECT_EQ(sawtoothInputArtifact(input, "x86-64-v3,x86-64-v4", "some key", append, &two), 0);
  EXPECT_EQ(one, two);
  EXPECT_EQ(one.substr(0, 4), "\177ELF");
  EXPECT_EQ(one.substr(one.size() - 8), "SAWTHART");
  EXPECT_LT(one.find("\nvariant sawtooth_query x86-64-v3 "),
            one.find("\nvariant sawtooth_query_1 x86-64-v4 "));
  EXPECT_NE(one.find("\nkey some key\n"), std::string::npos);
  EXPECT_EQ(sawtoothInputDigest(input), before);
  SawtoothCompiled *compiled = sawtoothInputLoad(input);
  ASSERT_TRUE(compiled) << diagnostics.at(0);
  EXPECT_EQ(sawtoothCompiledArtifact(compiled)->abi, SAWTOOTH_ABI_VERSION);
  sawtoothCompiledDestroy(compiled);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(sawtoothInputArtifact(input, "x86-64-v3,pentium", nullptr, append, &one), 1);
  EXPECT_NE(diagnostics.at(0).find("got 'pentium'"), std::string::npos);
  sawtoothInputDestroy(input);
}

TEST_F(CompilerLibrary, WithoutALinkerThereAreNoArtifacts) {
  options.linker = "/nonexistent/ld.lld";
  EXPECT_FALSE(sawtoothHasLinker(&options));
  std::string text = "amp.model @m\n", artifact;
  SawtoothInput *input = sawtoothReadInput("step.mlir", text.data(), text.size(), &options);
  ASSERT_TRUE(input) << diagnostics.at(0);
  EXPECT_EQ(sawtoothInputArtifact(input, "x86-64-v3", nullptr, append, &artifact), 1);
  EXPECT_NE(diagnostics.at(0).find("compile with --emit=obj"), std::string::npos);
  EXPECT_EQ(artifact, "");
  sawtoothInputDestroy(input);
}

} // namespace
