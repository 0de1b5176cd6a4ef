"""Whether a client's prompt cache holds with Loam, and how much Loam puts before a model unasked: recorded sessions.

    python -m tests.trials.prefix FOLDER [--sessions 1000] [--minutes N]

FOLDER has recorded conversations (dev.jsonl, decoys.jsonl of sde-bench). Sessions are made of them as `recorded` says,
in the request shapes of five clients, by two people on four machines at once, with the demo's notes behind them; the
hooks ask a Loam of its own, or that which LOAM_TRIAL names. Two figures are held to: the share of a request that is the
beginning of the next one, with Loam over without, of the worst session; and the tokens injected in a session, p95.
"""

import argparse
import json
import os
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tests.clients.recorded import HOMES, Home, Kept, Recording, Replay, recordings
from tests.clients.world import World, world

LEAST_SHARED = 0.99
MOST_INJECTED = 1_500
# Sessions between two lines of progress.
STEP = 25


def replay(plans: Sequence[Recording], folder: Path, url: str, token: str, until: float) -> list[Kept]:
    """Return what came of these sessions, one after the other on one machine; none is begun after `until`."""
    folder.mkdir(parents=True)
    home, found = Home(folder, url, token), []
    for done, plan in enumerate(plans, start=1):
        if time.time() > until:
            break
        found.append(Replay(home, plan).run())
        if done % STEP == 0:
            print(f"{folder.name}: {done} of {len(plans)}", file=sys.stderr, flush=True)
    return found


def replay_all(here: World, plans: Sequence[Recording], minutes: float) -> list[Kept]:
    until = time.time() + 60 * minutes
    people = [name for name in ("alice", "bob") if name in here.tokens]
    with ProcessPoolExecutor(HOMES, mp_context=get_context("spawn")) as machines:
        under_way = [
            machines.submit(replay, plans[number::HOMES], here.folder / f"machine-{number}", here.url, token, until)
            for number in range(HOMES)
            for token in [here.tokens[people[number % len(people)]]]
        ]
        return [one for future in under_way for one in future.result()]


def of(here: World, folder: Path, sessions: int, minutes: float = 120) -> str:
    """Return the report on so many sessions of the recordings in a folder, replayed against this Loam."""
    return report(replay_all(here, recordings(folder, sessions, subjects(here)), minutes))


def subjects(here: World) -> list[str]:
    """Return the titles of the team's notes."""
    asked = urllib.request.Request(f"{here.url}/api/v1/insights/?limit=100")
    asked.add_header("Authorization", f"Bearer {here.tokens['alice']}")
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return [str(one["title"]) for one in json.load(answer)["results"]]


def percentile(values: Sequence[float], share: float) -> float:
    """Return one of them, by nearest rank."""
    ordered = sorted(values)
    return ordered[max(-int(-share * len(ordered) // 1), 1) - 1]


def shares(kept: Sequence[Kept]) -> list[float]:
    """Return what is shared with Loam over what is shared without, of each session."""
    return [one.on / one.off for one in kept]


def missed(kept: Sequence[Kept]) -> list[str]:
    """Return the bars that are missed, in words."""
    found = []
    if min(shares(kept)) < LEAST_SHARED:
        found.append(f"a session shares {min(shares(kept)):.3f} of what it shares without Loam, not {LEAST_SHARED}")
    if (injected := percentile([one.injected for one in kept], 0.95)) > MOST_INJECTED:
        found.append(f"{injected:,.0f} tokens are injected (p95), not {MOST_INJECTED:,}")
    if different := sum(one.same is False for one in kept):
        found.append(f"{different} starts in equal state were told something else")
    return found


def report(kept: Sequence[Kept]) -> str:
    lines = [_line(f"{len(kept):,} sessions, {sum(one.requests for one in kept):,} requests", kept)]
    lines += [_line(client, [one for one in kept if one.client == client]) for client in _clients(kept)]
    again = [one.same for one in kept if one.same is not None]
    told: dict[str, list[int]] = {}
    for one in kept:
        for moment, count in one.told.items():
            told.setdefault(moment, []).append(count)
    lines.append("By moment, tokens (p50, p95, most): " + "; ".join(_by_moment(told)))
    lines.append(f"Starts in equal state told the same: {sum(again)} of {len(again)}")
    return "\n".join(lines)


def _clients(kept: Sequence[Kept]) -> list[str]:
    return sorted({one.client for one in kept})


def _line(name: str, kept: Sequence[Kept]) -> str:
    ratios, injected = shares(kept), [one.injected for one in kept]
    with_loam, without = (sum(values) / len(kept) for values in ([k.on for k in kept], [k.off for k in kept]))
    return (
        f"{name}: shared prefix with Loam {with_loam:.4f}, without {without:.4f}; on over off mean "
        f"{sum(ratios) / len(ratios):.4f}, least {min(ratios):.4f}; injected tokens p50 {percentile(injected, 0.5):,}, "
        f"p95 {percentile(injected, 0.95):,}, most {max(injected):,}"
    )


def _by_moment(told: Mapping[str, Sequence[int]]) -> list[str]:
    return [
        f"{moment} {percentile(counts, 0.5):,}, {percentile(counts, 0.95):,}, {max(counts):,} of {len(counts):,}"
        for moment, counts in told.items()
    ]


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sessions", type=int, default=1_000)
    parser.add_argument("--minutes", type=float, default=120, help="begin no session after so many")
    args = parser.parse_args(words)
    began = time.monotonic()
    with world() as here:
        kept = replay_all(here, recordings(args.folder, args.sessions, subjects(here)), args.minutes)
    print(report(kept))
    print(f"{time.monotonic() - began:.0f} s, load {os.getloadavg()[1]:.1f}")
    for line in missed(kept):
        print(f"MISSED: {line}")
    return 1 if missed(kept) else 0


if __name__ == "__main__":
    sys.exit(main())
