# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulator's own table of forms, as `ptxsim-run --list-forms` prints it."""

import itertools
import re
import subprocess


class Row:
    def __init__(self, line):
        fields = line.split("\t")
        self.pattern, self.operands, self.section, self.ptx, self.sm = fields[:5]
        self.approx = "approx" in fields[5:]
        self.base = re.match(r"[a-z0-9]+", self.pattern).group()
        self.slots = []  # (optional, words)
        for mark, group, word in re.findall(r"([.?])(?:\{([^}]*)\}|([^.?]+))", self.pattern[len(self.base):]):
            self.slots.append((mark == "?", group.split("|") if group else [word]))

    def expansions(self, keep=lambda word: True):
        """All spellings, as lists of words; `keep` drops words of optional slots."""
        choices = []
        for optional, words in self.slots:
            words = [w for w in words if not optional or keep(w)]
            choices.append(([None] if optional else []) + words)
        for combination in itertools.product(*choices):
            yield [w for w in combination if w]


def rows(tool):
    text = subprocess.run([tool, "--list-forms"], check=True, capture_output=True, text=True).stdout
    return [Row(line) for line in text.splitlines()]
