"""How far a long command is: one bar after the other on a terminal, a line now and then where there is none."""

import sys
from time import monotonic
from typing import Any

from tqdm import tqdm

from sessions_app.lab.metrics.outlook import Outlook

# Seconds between two lines of one step, and before the first one of the next: many steps take no second.
EVERY, SOONEST = 10.0, 1.0


class Bars:
    """Progress on stderr. `outlook`: with it, lines say how long all of it will take."""

    def __init__(self, outlook: Outlook | None = None, *, stream: Any = None) -> None:
        self._bar: Any = None
        self._outlook = outlook
        self._stream = stream or sys.stderr
        self._step, self._said = "", float("-inf")

    def __enter__(self) -> "Bars":
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def show(self, what: str, done: int, total: int) -> None:
        if self._stream.isatty():
            self._show_bar(what, done, total)
        else:
            self._say(what, done, total, monotonic())

    def _show_bar(self, what: str, done: int, total: int) -> None:
        if self._bar is None or self._bar.desc != what:
            self.__exit__()
            self._bar = tqdm(desc=what, total=total, file=self._stream)
        self._bar.update(done - self._bar.n)

    def _say(self, what: str, done: int, total: int, now: float) -> None:
        share = done / total if total else 1.0
        left = self._outlook.left(what, share, now) if self._outlook else None
        if now - self._said < (EVERY if what == self._step else SOONEST):
            return
        self._step, self._said = what, now
        far = f"{done:,} of {total:,} ({share:.0%})" if total > 1 else ("done" if done else "begun")
        rest = f"; about {_time(left)} left in all" if left is not None else ""
        print(f"{what}: {far}{rest}", file=self._stream, flush=True)


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3600:.1f} h"
