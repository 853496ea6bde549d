// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/Shapes.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <fstream>

using namespace sawtooth;
using namespace sawtooth::bench;
using runtime::Result;
using runtime::Status;
using runtime::StatusCode;
using runtime::TensorSpec;

namespace {

using Tensors = std::vector<TensorSpec>;

/// Radford et al. 2019, as the reference implementation names and shapes the parameters: 148
/// tensors for 12 layers. The output layer shares the embedding.
Tensors gpt2(int64_t layers, int64_t width) {
  Tensors tensors{{"wte.weight", {50257, width}}, {"wpe.weight", {1024, width}}};
  for (int64_t layer = 0; layer < layers; ++layer) {
    std::string h = "h." + std::to_string(layer) + ".";
    for (const char *norm : {"ln_1", "ln_2"}) {
      tensors.push_back({h + norm + ".weight", {width}});
      tensors.push_back({h + norm + ".bias", {width}});
    }
    struct {
      const char *name;
      int64_t in, out;
    } linear[] = {{"attn.c_attn", width, 3 * width},
                  {"attn.c_proj", width, width},
                  {"mlp.c_fc", width, 4 * width},
                  {"mlp.c_proj", 4 * width, width}};
    for (auto &[name, in, out] : linear) {
      tensors.push_back({h + name + ".weight", {in, out}});
      tensors.push_back({h + name + ".bias", {out}});
    }
  }
  tensors.push_back({"ln_f.weight", {width}});
  tensors.push_back({"ln_f.bias", {width}});
  return tensors;
}

/// Touvron et al. 2023, the model of 6.7 billion parameters: 291 tensors.
Tensors llama7b() {
  const int64_t width = 4096, hidden = 11008, vocabulary = 32000;
  Tensors tensors{{"embed_tokens.weight", {vocabulary, width}}};
  for (int layer = 0; layer < 32; ++layer) {
    std::string prefix = "layers." + std::to_string(layer) + ".";
    for (const char *name : {"q_proj", "k_proj", "v_proj", "o_proj"})
      tensors.push_back({prefix + "self_attn." + name + ".weight", {width, width}});
    tensors.push_back({prefix + "mlp.gate_proj.weight", {hidden, width}});
    tensors.push_back({prefix + "mlp.up_proj.weight", {hidden, width}});
    tensors.push_back({prefix + "mlp.down_proj.weight", {width, hidden}});
    tensors.push_back({prefix + "input_layernorm.weight", {width}});
    tensors.push_back({prefix + "post_attention_layernorm.weight", {width}});
  }
  tensors.push_back({"norm.weight", {width}});
  tensors.push_back({"lm_head.weight", {vocabulary, width}});
  return tensors;
}

/// He et al. 2015, bottleneck blocks 3-4-6-3: 161 tensors.
Tensors resnet50() {
  Tensors tensors;
  auto convolution = [&](const std::string &name, int64_t out, int64_t in, int64_t size) {
    tensors.push_back({name + ".weight", {out, in, size, size}});
  };
  auto norm = [&](const std::string &name, int64_t channels) {
    tensors.push_back({name + ".weight", {channels}});
    tensors.push_back({name + ".bias", {channels}});
  };
  convolution("conv1", 64, 3, 7);
  norm("bn1", 64);
  const int64_t blocks[] = {3, 4, 6, 3};
  int64_t in = 64;
  for (int stage = 0; stage < 4; ++stage) {
    int64_t inner = int64_t(64) << stage, out = 4 * inner;
    for (int64_t block = 0; block < blocks[stage]; ++block) {
      std::string prefix = "layer" + std::to_string(stage + 1) + "." + std::to_string(block) + ".";
      convolution(prefix + "conv1", inner, in, 1);
      norm(prefix + "bn1", inner);
      convolution(prefix + "conv2", inner, inner, 3);
      norm(prefix + "bn2", inner);
      convolution(prefix + "conv3", out, inner, 1);
      norm(prefix + "bn3", out);
      if (block == 0) {
        convolution(prefix + "downsample.0", out, in, 1);
        norm(prefix + "downsample.1", out);
      }
      in = out;
    }
  }
  tensors.push_back({"fc.weight", {1000, 2048}});
  tensors.push_back({"fc.bias", {1000}});
  return tensors;
}

/// COUNTxSIZE, or nothing.
std::optional<Tensors> uniform(const std::string &spec) {
  int64_t count = 0, size = 0;
  const char *end = spec.data() + spec.size();
  auto [cross, error] = std::from_chars(spec.data(), end, count);
  if (error != std::errc() || cross == end || *cross != 'x')
    return std::nullopt;
  auto [rest, sizeError] = std::from_chars(cross + 1, end, size);
  if (sizeError != std::errc() || rest != end || count < 0 || size < 0 || count > 10'000'000)
    return std::nullopt;
  Tensors tensors;
  for (int64_t i = 0; i < count; ++i)
    tensors.push_back({"t" + std::to_string(i), {size}});
  return tensors;
}

Result<Tensors> fromFile(const std::string &path) {
  std::ifstream stream(path);
  if (!stream)
    return Status::error(StatusCode::Io, "cannot read '" + path + "'");
  nlohmann::json json = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  auto wrong = [&] {
    return Status::error(StatusCode::Invalid,
                         path + ": expected a JSON object {\"name\": [dims], …}");
  };
  if (!json.is_object())
    return wrong();
  Tensors tensors;
  for (auto &[name, dims] : json.items()) {
    if (!dims.is_array())
      return wrong();
    TensorSpec &tensor = tensors.emplace_back(TensorSpec{name, {}});
    for (auto &dim : dims) {
      if (!dim.is_number_integer() || dim.get<int64_t>() < 0)
        return wrong();
      tensor.dims.push_back(dim.get<int64_t>());
    }
  }
  return tensors;
}

} // namespace

Result<Tensors> bench::tensorsOf(const std::string &spec) {
  if (spec == "gpt2")
    return gpt2(12, 768);
  if (spec == "gpt2-xl")
    return gpt2(48, 1600);
  if (spec == "resnet50")
    return resnet50();
  if (spec == "llama-7b")
    return llama7b();
  if (std::optional<Tensors> tensors = uniform(spec))
    return *tensors;
  if (spec.ends_with(".json"))
    return fromFile(spec);
  return Status::error(
      StatusCode::Invalid,
      "expected gpt2, gpt2-xl, resnet50, llama-7b, COUNTxSIZE or FILE.json, got '" + spec + "'");
}
