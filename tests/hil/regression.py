# SPDX-License-Identifier: BSD-2-Clause
"""Decides whether a drop of a measured speed is a regression or only noise.

The runs of a figure fall into levels. A new level begins if a value is better than noise explains, or if somebody
accepted a new level. Let n be the number of values in the present level, m their mean, and s the relative standard
deviation of all values about the means of their levels, with d degrees of freedom. A further value of the same level
lies below

    m (1 - t s sqrt(1 + 1/n)),    t: Student's t with d degrees of freedom, exceeded once in 1000 times

only once in 1000 times (the prediction interval of normally distributed values). A lower value is a regression, unless
it is less than `LEAST` below the mean, since figures of a simulated board have no noise at all. Refused values belong
to no level.
"""

from dataclasses import dataclass, field
from math import sqrt

LEAST = 0.005
RUNS_NEEDED = 3
# Maximum number of values of a level (see `Levels`) that are used. Older values are ignored, because speeds drift
# slowly, for example with the room temperature.
WINDOW = 30
# Student's t for a one-sided probability of 0.001 and 1 to 30 degrees of freedom. Above 30, the last value is used.
_T = (
    *(318.309, 22.327, 10.215, 7.173, 5.893, 5.208, 4.785, 4.501, 4.297, 4.144),
    *(4.025, 3.930, 3.852, 3.787, 3.733, 3.686, 3.646, 3.610, 3.579, 3.552),
    *(3.527, 3.505, 3.485, 3.467, 3.450, 3.435, 3.421, 3.408, 3.396, 3.385),
)


def student_t(freedom: int) -> float:
    """Return Student's t for a one-sided probability of 0.001 and `freedom` (at least 1) degrees of freedom."""
    return _T[min(freedom, len(_T)) - 1]


@dataclass
class Levels:
    """The levels of one measured speed, oldest first. A level is a sequence of runs whose speeds differ only by
    noise. The next level begins when the speed rises by more than noise, or when a user accepts a lower speed.
    """

    figure: str
    levels: list[list[float]] = field(default_factory=list)
    good: str | None = None  # commit of the last run whose value was accepted
    bad: str | None = None  # commit of the first run after `good` whose value was refused

    @classmethod
    def of(cls, figure: str, lines: list[dict]) -> "Levels":
        """Return the levels of a measured speed in the runs of one series (`history.series`)."""
        seen = cls(figure)
        for line in lines:
            if line.get("accepted") == figure:
                seen.levels.append([])
                seen.bad = None
            elif figure in line.get("figures", {}):
                seen._add(line["figures"][figure], line.get("commit"), figure in line.get("regressed", ()))
        return seen

    def _add(self, value: float, commit: str | None, refused: bool) -> None:
        if refused:
            self.bad = self.bad or commit
            return
        allowed = self.allowed()
        if not self.levels or (allowed is not None and value > self.mean * (1 + allowed)):
            self.levels.append([])
        self.levels[-1].append(value)
        self.good, self.bad = commit, None

    @property
    def values(self) -> list[float]:
        """The newest values of the last level, at most `WINDOW` values. The list is empty if there is no level."""
        return self.levels[-1][-WINDOW:] if self.levels else []

    @property
    def mean(self) -> float:
        """The mean of `values`, the newest values of the last level."""
        return sum(self.values) / len(self.values)

    def allowed(self) -> float | None:
        """Return the largest deviation from `mean` that noise can explain, divided by `mean`. Return None if there are
        too few runs to estimate the noise.
        """
        counted = [level[-WINDOW:] for level in self.levels if level]
        freedom = sum(len(level) - 1 for level in counted)
        if not self.values or freedom < RUNS_NEEDED - 1:
            return None
        squares = sum((value / (sum(level) / len(level)) - 1) ** 2 for level in counted for value in level)
        spread = sqrt(squares / freedom)
        return max(LEAST, student_t(freedom) * spread * sqrt(1 + 1 / len(self.values)))

    def judge(self, value: float, commit: str | None) -> str | None:
        """Return None if a new value is no regression. Otherwise return a text that names the commits between which the
        regression appeared.
        """
        allowed = self.allowed()
        if allowed is None or value >= self.mean * (1 - allowed):
            return None
        good, bad = (str(each).removesuffix("-dirty") for each in (self.good, self.bad or commit))
        return (
            f"{self.figure}: {value:.4g} Mbps is {1 - value / self.mean:.1%} below {self.mean:.4g}, the mean of "
            f"{len(self.values)} runs, whose noise explains {allowed:.1%}; it came with a commit of {good}..{bad}"
        )
