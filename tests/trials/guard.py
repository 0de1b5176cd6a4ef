"""Print how many secrets of `tests/guard` the guard hides, how many look-alikes it takes for secrets, and its speed.

`python -m tests.trials.guard` names what was missed and what was found by mistake in the parts that may be looked at.
"""

import time
from collections import Counter

from accounts.rules.guard.detection import find_secrets, redact_secrets
from tests.guard import PARTS, is_hidden, look_alikes, secrets

# Each case is drawn so many times.
SEEDS = range(4)
# Characters of the text that is timed.
LONG = 50_000


def main() -> None:
    """Print one line for each part, then its faults."""
    for part in PARTS:
        drawn = [case for seed in SEEDS for case in secrets(part, seed)]
        alike = [case for seed in SEEDS for case in look_alikes(part, seed)]
        missed = Counter(case.title for case in drawn if not is_hidden(case, redact_secrets(case.text)[0]))
        wrong = Counter(case.title for case in alike if find_secrets(case.text))
        recall, alarms = 1 - missed.total() / len(drawn), wrong.total() / len(alike)
        each = len(drawn) // len(SEEDS), len(alike) // len(SEEDS)
        print(f"{part}: recall {recall:.3f} of {each[0]} secrets, false alarms {alarms:.4f} of {each[1]} look-alikes")
        for title, times in (*missed.items(), *wrong.items()):
            print(f"  {times}/{len(SEEDS)} {title}")
    text = "\n".join(case.text for part in PARTS for case in look_alikes(part))
    text = (text * (LONG // len(text) + 1))[:LONG]
    began = time.process_time()
    find_secrets(text)
    print(f"{LONG} characters of look-alikes: {(time.process_time() - began) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
