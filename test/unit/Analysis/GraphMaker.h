// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Graphs written by hand: of steps whose cost is known from counting on paper.
#ifndef SAWTOOTH_TEST_UNIT_ANALYSIS_GRAPHMAKER_H
#define SAWTOOTH_TEST_UNIT_ANALYSIS_GRAPHMAKER_H

#include "sawtooth/Analysis/SweepGraph.h"

struct GraphMaker {
  sawtooth::SweepGraph graph;
  static constexpr int always = sawtooth::SweepGraph::kAlways;

  GraphMaker() { graph.models = 1; }

  /// A list with elements of `bytes`, and the value of its element at entry.
  struct List {
    unsigned list, value;
  };
  List list(unsigned bytes) {
    graph.lists.push_back({0, bytes});
    sawtooth::SweepGraph::Value leaf;
    leaf.model = 0;
    leaf.list = graph.lists.size() - 1;
    graph.values.push_back(leaf);
    return {static_cast<unsigned>(leaf.list), static_cast<unsigned>(graph.values.size() - 1)};
  }
  /// A value of `bytes` out of others, once the reductions `needs` are known.
  unsigned op(std::initializer_list<unsigned> operands, std::initializer_list<unsigned> needs = {},
              unsigned bytes = 4) {
    sawtooth::SweepGraph::Value value;
    value.model = 0;
    value.operands.assign(operands.begin(), operands.end());
    value.needs.assign(needs.begin(), needs.end());
    value.bytes = bytes;
    graph.values.push_back(value);
    return graph.values.size() - 1;
  }
  unsigned reduce(unsigned value, int flag = always) {
    graph.reductions.push_back({value, flag});
    return graph.reductions.size() - 1;
  }
  int flag(std::initializer_list<unsigned> needs) {
    graph.flags.push_back({llvm::SmallVector<unsigned, 2>(needs)});
    return graph.flags.size() - 1;
  }
  unsigned store(List to, unsigned value, int flag = always) {
    graph.stores.push_back({to.list, value, flag, {}});
    return graph.stores.size() - 1;
  }
};

/// AdamW: a check of the gradient, then everything; `copyBytes` of 0 is no copy of the weights.
inline GraphMaker makeAdamW(unsigned gradientBytes, unsigned copyBytes) {
  GraphMaker make;
  auto g = make.list(gradientBytes), w = make.list(4), m = make.list(4), v = make.list(4);
  unsigned u = make.op({g.value});
  unsigned check = make.reduce(u);
  int ok = make.flag({check});
  unsigned c = make.op({u}, {check}), m1 = make.op({m.value, c}), v1 = make.op({v.value, c});
  unsigned w1 = make.op({w.value, m1, v1});
  make.store(w, w1, ok);
  make.store(m, m1, ok);
  make.store(v, v1, ok);
  if (copyBytes)
    make.store(make.list(copyBytes), make.op({w1}, {}, copyBytes), ok);
  return make;
}

/// LAMB: the norms of w and of the update cut the step once more.
inline GraphMaker makeLamb() {
  GraphMaker make;
  auto g = make.list(2), w = make.list(4), m = make.list(4), v = make.list(4), h = make.list(2);
  unsigned u = make.op({g.value});
  unsigned check = make.reduce(u);
  int ok = make.flag({check});
  unsigned c = make.op({u}, {check}), m1 = make.op({m.value, c}), v1 = make.op({v.value, c});
  unsigned update = make.op({w.value, m1, v1});
  unsigned normW = make.reduce(make.op({w.value}), ok), normU = make.reduce(make.op({update}), ok);
  unsigned w1 = make.op({w.value, update}, {normW, normU});
  make.store(w, w1, ok);
  make.store(h, make.op({w1}, {}, 2), ok);
  make.store(m, m1, ok);
  make.store(v, v1, ok);
  return make;
}

#endif // SAWTOOTH_TEST_UNIT_ANALYSIS_GRAPHMAKER_H
