# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms that are more than functions of their operands: moves, memory, atomics, warps, control.

Each test runs every spelling of its row (cache hints one at a time) and returns how many it ran.
"""

from control import branches, calls, leaving, no_effect, traps
from memory import atomics, loads, prefetches, stores
from moves import address_conversions, moves, space_tests
from warps import active_lanes, barriers, fences, lane_exchange, matches, reductions, shuffles, votes

RUNNERS = {"ld": loads, "st": stores, "prefetch": prefetches, "prefetchu": prefetches, "atom": atomics, "red": atomics,
           "mov": moves, "cvta": address_conversions, "isspacep": space_tests, "shfl": shuffles, "vote": votes,
           "match": matches, "redux": reductions, "activemask": active_lanes, "elect": active_lanes,
           "barrier": barriers, "membar": fences, "fence": fences, "call": calls, "bra": branches, "brx": branches,
           "ret": leaving, "exit": leaving, "trap": traps, "brkpt": traps, "nanosleep": no_effect,
           "griddepcontrol": no_effect, "pmevent": no_effect}


def runner(row):
    if row.base == "bar":
        return lane_exchange if "warp" in row.pattern else barriers
    return RUNNERS.get(row.base)
