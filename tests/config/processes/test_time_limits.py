"""A task that goes on for ever: interrupted, and if that does not help its process is ended."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from config.database.embedded import BASE_DIR

pytestmark = pytest.mark.slow

# A task of a worker's own process, between the two signals that Celery sends around it.
RUN = """
import sys, time
import django
django.setup()
from django.conf import settings
from accounts.rules.time_limit import TimeUp
from config.processes import time_limits
settings.LOAM_TASK_SECONDS, settings.LOAM_TASK_GRACE = 0.3, 0.7
class Task:
    name = "knowledge.fade"
time_limits.begin(task=Task)
try:
    try:
        time.sleep(30)
    except Exception:
        print("swallowed")
except TimeUp as up:
    print(up, flush=True)
    if "stubborn" in sys.argv:
        while True:
            time.sleep(0.1)
time_limits.finish()
time.sleep(1)
print("goes on")
"""


def run(var: Path, *words: str) -> tuple[subprocess.CompletedProcess[str], float]:
    began = time.monotonic()
    command = [sys.executable, "-c", RUN, *words]
    environment = {"DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none"}
    environment |= {"PRODUCTION": "off", "SECRET_KEY": "k" * 60, "LOAM_VAR": str(var)}
    done = subprocess.run(command, cwd=BASE_DIR, env=environment, capture_output=True, text=True, timeout=60)
    return done, time.monotonic() - began


def test_a_task_is_interrupted_and_its_process_goes_on(tmp_path: Path) -> None:
    done, seconds = run(tmp_path)
    assert done.stdout.splitlines() == ["Timed out after 0.3 s.", "goes on"], done.stderr
    assert (done.returncode, seconds < 20) == (0, True)


def test_a_task_that_cannot_be_interrupted_ends_its_process(tmp_path: Path) -> None:
    done, seconds = run(tmp_path, "stubborn")
    assert (done.returncode, seconds < 20) == (75, True)
    assert "knowledge.fade did not stop when its time was up; this worker ends" in done.stderr
