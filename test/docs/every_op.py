# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says which ops of a reference page have no example that holds them, and fails if any."""

import re
import sys

from examples import examples


def main(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    sections = re.split(r"^### `", text.split("## Attributes")[0], flags=re.M)[1:]
    if not sections:
        sys.exit(f"expected ops in {page}, got none")
    missing = []
    for section in sections:
        name = section.split("`")[0]
        if not any(re.search(rf"\b{re.escape(name)}\b", block) for _, block in examples(section)):
            missing.append(name)
    if missing:
        sys.exit(f"expected an example of each op in {page}, got none of {', '.join(missing)}")


if __name__ == "__main__":
    main(sys.argv[1])
