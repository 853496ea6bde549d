# Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loss scaling: PyTorch's policy, a static scale, and none. The arithmetic is f64, rounded once to
f32.

Of torch.amp.GradScaler: growth after `growth_interval` clean updates in a row, backoff at once, and
a growth that would leave f32 keeps the scale but restarts the count. Ours beyond it: bounds on the
scale, a growth test by >= (a shortened interval takes effect at once), and a limit on skips in a
row.
"""

import math
from dataclasses import dataclass, replace

from .rounding import to_f32

LARGEST_POWER = 2.0**127  # the largest power of two in f32


@dataclass(frozen=True)
class Scaler:
    """A scaler's parameters and state. `update` gives the next one."""

    scale: float = 65536.0
    growth_factor: float = 2.0
    backoff_factor: float = 0.5
    growth_interval: int = 2000
    min_scale: float = 0.0
    max_scale: float = LARGEST_POWER
    max_consecutive_skips: int = 0  # 0: no limit
    mode: str = "pytorch"  # or "static", "disabled"
    tracker: int = 0
    skipped: int = 0
    consecutive_skips: int = 0

    def __post_init__(self):
        if self.mode not in ("pytorch", "static", "disabled"):
            raise ValueError(f"expected a mode of pytorch, static or disabled, got {self.mode}")
        object.__setattr__(self, "scale", 1.0 if self.mode == "disabled" else to_f32(self.scale))

    @property
    def stuck(self):
        """Whether so many steps in a row were skipped that no scale seems to help."""
        return 0 < self.max_consecutive_skips <= self.consecutive_skips

    def update(self, ok):
        if ok:
            after = replace(self, consecutive_skips=0)
        else:
            after = replace(
                self, skipped=self.skipped + 1, consecutive_skips=self.consecutive_skips + 1
            )
        if self.mode != "pytorch":
            return after
        if not ok:
            return replace(
                after,
                scale=to_f32(max(self.min_scale, self.scale * self.backoff_factor)),
                tracker=0,
            )
        if self.tracker + 1 < self.growth_interval:
            return replace(after, tracker=self.tracker + 1)
        grown = to_f32(self.scale * self.growth_factor)
        grown = grown if math.isfinite(grown) else self.scale
        return replace(after, scale=to_f32(min(self.max_scale, grown)), tracker=0)

    def state_dict(self):
        """As torch.amp.GradScaler.state_dict()."""
        return {
            "scale": self.scale,
            "growth_factor": self.growth_factor,
            "backoff_factor": self.backoff_factor,
            "growth_interval": self.growth_interval,
            "_growth_tracker": self.tracker,
        }
