// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where state begins when nobody bound or loaded it.
#include "sawtooth/runtime/Store.h"

#include "Cat.h"
#include "FloatEnvironment.h"
#include "sawtooth/runtime/Convert.h"
#include "sawtooth/runtime/Names.h"
#include "sawtooth/runtime/Random.h"

#include <bit>
#include <cmath>
#include <cstdio>

namespace sawtooth::runtime {

// Elements that a thread converts or draws at a time.
static constexpr uint64_t piece = SAWTOOTH_CHUNK;

static std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

Status Store::initialLists() {
  // A copy is derived anew when its source was bound after it was loaded.
  auto settled = [&](uint32_t list) {
    uint32_t source = plan_.lists()[list].copyOf;
    ListOrigin origin = lists[list].origin;
    return origin == ListOrigin::Bound ||
           (origin == ListOrigin::Loaded &&
            (source == SAWTOOTH_NONE || lists[source].origin != ListOrigin::Bound));
  };
  std::vector<bool> done(lists.size());
  for (uint32_t list = 0; list < lists.size(); ++list)
    done[list] = plan_.lists()[list].kind != SAWTOOTH_LIST_STATE || settled(list);

  auto ready = [&](uint32_t list) {
    const SawtoothListRow &row = plan_.lists()[list];
    if (row.copyOf != SAWTOOTH_NONE)
      return bool(done[row.copyOf]);
    for (const SawtoothInit &init : Plan::rows(row.init, plan_.inits()))
      if (init.kind == SAWTOOTH_INIT_CAST && !done[init.source])
        return false;
    return true;
  };
  // Sources first. The plan was checked to have no cycle, so every round gets something done.
  for (bool open = true; open;) {
    open = false;
    for (uint32_t list = 0; list < lists.size(); ++list) {
      if (done[list])
        continue;
      if (!ready(list)) {
        open = true;
        continue;
      }
      SAWTOOTH_TRY(initialList(list));
      done[list] = true;
    }
  }
  return {};
}

Status Store::initialList(uint32_t list) {
  const SawtoothListRow &row = plan_.lists()[list];
  const Model &model = models[row.model];
  if (row.copyOf == SAWTOOTH_NONE && loaded && !model.tensors.empty())
    warnings.push_back(cat("the state file lacks list ", plan_.listTitle(list),
                           ", which starts from its initial value"));
  SAWTOOTH_TRY(allocate(list));
  if (row.copyOf != SAWTOOTH_NONE)
    SAWTOOTH_TRY(fetchList(row.copyOf));
  for (const SawtoothInit &init : Plan::rows(row.init, plan_.inits()))
    if (row.copyOf == SAWTOOTH_NONE && init.kind == SAWTOOTH_INIT_CAST)
      SAWTOOTH_TRY(fetchList(init.source));
  for (size_t tensor = 0; tensor < model.tensors.size(); ++tensor) {
    if (row.copyOf != SAWTOOTH_NONE)
      convertTensor(list, row.copyOf, tensor);
    else
      SAWTOOTH_TRY(initialTensor(list, tensor));
  }
  lists[list].origin = ListOrigin::Initial;
  if (!loaded)
    notes.push_back(cat("state ", plan_.listTitle(list), " is not bound: ", describeInitial(list)));
  return {};
}

Status Store::initialTensor(uint32_t list, size_t tensor) {
  const SawtoothListRow &row = plan_.lists()[list];
  const Model &model = models[row.model];
  const std::string &name = model.tensors[tensor];
  const SawtoothInit *init = nullptr;
  for (const SawtoothInit &candidate : Plan::rows(row.init, plan_.inits()))
    if (!init && matchesGlob(plan_.text(candidate.glob), name))
      init = &candidate;
  std::string title = plan_.listTitle(list);
  if (!init)
    return Status::error(StatusCode::Invalid, cat(plan_.text(row.location),
                                                  ": no pattern of the initial values of state ",
                                                  title, " covers tensor '", printable(name), "'"));
  SawtoothType type = SawtoothType(row.type);
  void *to = lists[list].tensor[tensor];
  uint64_t numel = static_cast<uint64_t>(model.numel[tensor]);

  switch (init->kind) {
  case SAWTOOTH_INIT_REQUIRED:
    return Status::error(
        StatusCode::Invalid,
        cat("state ", title, " is required and must be bound (tensor '", printable(name), "')"));
  case SAWTOOTH_INIT_CONSTANT: {
    uint64_t bits = std::bit_cast<uint64_t>(init->value);
    if (bits != 0) // the memory is zero as it comes
      parallelFor_(numel, piece, [&](uint64_t begin, uint64_t end) {
        for (uint64_t e = begin; e < end; ++e)
          storeFloat(type, to, e, bits);
      });
    return {};
  }
  case SAWTOOTH_INIT_CAST:
    convertTensor(list, init->source, tensor);
    return {};
  default:
    break;
  }

  // fan_in: the product of all dimensions but the last.
  double fanIn = 1;
  std::span<const int64_t> shape = model.shape(tensor);
  for (size_t i = 0; i + 1 < shape.size(); ++i)
    fanIn *= static_cast<double>(shape[i]);
  FloatEnvironment environment;
  bool isUniform = init->kind == SAWTOOTH_INIT_UNIFORM;
  double factor = isUniform ? 1.0 / std::sqrt(fanIn) : init->value;
  RandomStream random(seed_, init->stream, 0, model.nameHash[tensor]);
  parallelFor_(numel, piece, [&](uint64_t begin, uint64_t end) {
    FloatEnvironment threadEnvironment;
    for (uint64_t e = begin; e < end; ++e) {
      double value = factor * (isUniform ? random.uniform(e) : random.normal(e));
      storeFloat(type, to, e, std::bit_cast<uint64_t>(value));
    }
  });
  return {};
}

// Brings the elements of a list that is bound on a device to the host, once.
Status Store::fetchList(uint32_t number) {
  List &list = lists[number];
  if (list.device.empty() || list.fetched)
    return {};
  const SawtoothListRow &row = plan_.lists()[number];
  if (!fetch_)
    return Status::error(StatusCode::Invalid,
                         cat("an initial value is taken from list ", plan_.listTitle(number),
                             ", whose elements are on a device that nobody can read yet"));
  const Model &model = models[row.model];
  for (size_t tensor = 0; tensor < model.tensors.size(); ++tensor)
    if (uint64_t bytes =
            static_cast<uint64_t>(model.numel[tensor]) * typeBytes(SawtoothType(row.type)))
      SAWTOOTH_TRY(fetch_(list.tensor[tensor], list.device[tensor], bytes));
  list.fetched = true;
  return {};
}

void Store::convertTensor(uint32_t to, uint32_t from, size_t tensor) {
  SawtoothType typeTo = SawtoothType(plan_.lists()[to].type);
  SawtoothType typeFrom = SawtoothType(plan_.lists()[from].type);
  void *target = lists[to].tensor[tensor];
  const void *source = lists[from].tensor[tensor];
  uint64_t numel = static_cast<uint64_t>(models[plan_.lists()[to].model].numel[tensor]);
  parallelFor_(numel, piece, [&](uint64_t begin, uint64_t end) {
    for (uint64_t e = begin; e < end; ++e)
      storeFloat(typeTo, target, e, loadFloat(typeFrom, source, e));
  });
}

std::string Store::describeInitial(uint32_t list) const {
  const SawtoothListRow &row = plan_.lists()[list];
  if (row.copyOf != SAWTOOTH_NONE)
    return cat("a copy of '", plan_.text(plan_.lists()[row.copyOf].name), "'");
  std::string out = "starts as ";
  for (uint32_t i = 0; i < row.init.count; ++i) {
    const SawtoothInit &init = plan_.inits()[row.init.first + i];
    out += i ? ", " : "";
    if (plan_.text(init.glob) != "*")
      out += cat("'", plan_.text(init.glob), "' = ");
    switch (init.kind) {
    case SAWTOOTH_INIT_CONSTANT:
      out += numberText(init.value);
      break;
    case SAWTOOTH_INIT_CAST:
      out += cat("a cast of '", plan_.text(plan_.lists()[init.source].name), "'");
      break;
    case SAWTOOTH_INIT_UNIFORM:
      out += cat("uniform by fan-in, seed ", seed_);
      break;
    case SAWTOOTH_INIT_NORMAL:
      out += cat("normal of deviation ", numberText(init.value), ", seed ", seed_);
      break;
    default:
      out += "required";
    }
  }
  return out;
}

} // namespace sawtooth::runtime
