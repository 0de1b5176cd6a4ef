"""A whole Loam is watched in a network where everything but this machine leads here: nothing may arrive.

    .venv/bin/python -m tests.trials.egress            # as root; some four minutes

`manage.py serve --prepare` runs in a network of its own (`unshare --net`) with the loopback and one more way out: a
tunnel whose other end is this program. Every packet to any other address, and every look-up of a name, arrives here
and is counted; nothing is answered. First a look-up and a connection show that the watch sees them. Then Loam is served
out of an empty folder: the model is exported, the demo made, the printed lines are asked, pages are read, worker and
beat do their jobs, `doctor` and `benchmark` run beside it. At last ONNX Runtime runs once with its telemetry left on,
to show that the store it makes would have been seen.
"""

import argparse
import importlib.util
import ipaddress
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import ioctl
from pathlib import Path
from threading import Lock, Thread
from types import ModuleType
from urllib.parse import urlsplit

import psutil

ROOT = Path(__file__).resolve().parents[2]
# <linux/if_tun.h>: bare IP packets, without a header before them.
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
UDP, DNS = 17, 53
# What the kernel says by itself on a new interface: ICMPv6, and options before it.
KERNEL = {0, 2, 58}
# Seconds: for a job of beat, which rings each minute; for what is still on its tunnel.
JOB, SETTLE = 150, 3
NEEDED = ("unshare", "ip", "mount", "curl")
PAGES = ("/accounts/login/", "/connect/loam.py", "/api/v1/schema/", "/healthz", "/readyz")


def main() -> int:
    """Return 1 if anything was looked up or reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    folder: Path | None = parser.parse_args().inside
    if folder is not None:
        return run_inside(folder)
    if why := reason_to_skip():
        print(f"Skipped: {why}.")
        return 0
    with tempfile.TemporaryDirectory(prefix="loam-egress-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        inside = ["unshare", "--net", "--mount", sys.executable, "-m", "tests.trials.egress", "--inside", name]
        return subprocess.run(inside, cwd=ROOT, check=False).returncode


def reason_to_skip() -> str:
    """Return why this machine cannot do it; nothing if it can."""
    if missing := [program for program in NEEDED if shutil.which(program) is None]:
        return f"there is no {', '.join(missing)} here"
    if os.geteuid() != 0:
        return "a network of its own needs root"
    if not Path("/dev/net/tun").exists():
        return "there is no /dev/net/tun"
    tried = subprocess.run(["unshare", "--net", "--mount", "true"], capture_output=True, text=True, check=False)
    return tried.stderr.strip() if tried.returncode else ""


# --- the tunnel ---------------------------------------------------------------------------------------------
class Tunnel(Thread):
    """The only way out of the network: it keeps a line for each packet, look-ups by the name that is asked for."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.device = os.open("/dev/net/tun", os.O_RDWR)
        ioctl(self.device, TUNSETIFF, struct.pack("16sH14x", b"egress", IFF_TUN | IFF_NO_PI))
        for words in (
            "link set lo up",
            "addr add 192.0.2.1/24 dev egress",
            "link set egress up",
            "route add default dev egress",
        ):
            subprocess.run(["ip", *words.split()], check=True)
        # A machine without IPv6 has one way less.
        for words in ("-6 addr add 2001:db8::1/64 dev egress nodad", "-6 route add default dev egress"):
            subprocess.run(["ip", *words.split()], check=False, stderr=subprocess.DEVNULL)
        self._lock, self._seen = Lock(), list[str]()

    def run(self) -> None:
        while packet := os.read(self.device, 65_535):
            if line := describe_packet(packet):
                with self._lock:
                    self._seen.append(line)

    def drain(self) -> list[str]:
        """Return what came since the last call, after a moment for what is still on its way."""
        time.sleep(SETTLE)
        with self._lock:
            found, self._seen = self._seen, []
        return found


def describe_packet(packet: bytes) -> str:
    """Return where a packet goes, or which name it asks for; nothing for what is the kernel's own."""
    if packet[0] >> 4 == 4:
        protocol, to, rest = packet[9], ipaddress.ip_address(packet[16:20]), packet[(packet[0] & 15) * 4 :]
    else:
        protocol, to, rest = packet[6], ipaddress.ip_address(packet[24:40]), packet[40:]
    if protocol in KERNEL:
        return ""
    port = int.from_bytes(rest[2:4], "big")
    if protocol == UDP and port == DNS:
        return f"looked up {asked_name(rest[8:])}"
    return f"sent to {to} port {port}"


def asked_name(message: bytes) -> str:
    """Return the name that a DNS message asks for."""
    labels, at = [], 12
    while at < len(message) and message[at]:
        labels.append(message[at + 1 : at + 1 + message[at]].decode("ascii", "replace"))
        at += 1 + message[at]
    return ".".join(labels)


def route_lookups_to_tunnel(folder: Path) -> None:
    """Make every look-up go to an address behind the tunnel, whatever /etc/resolv.conf of this machine says."""
    file = folder / "resolv.conf"
    file.write_text("nameserver 192.0.2.53\noptions timeout:1 attempts:1\n")
    subprocess.run(["mount", "--bind", file, "/etc/resolv.conf"], check=True)


# --- what is watched ----------------------------------------------------------------------------------------
CONTROL = """
import socket
for name, port in (("control.invalid", 443), ("198.51.100.7", 443)):
    try:
        socket.create_connection((name, port), timeout=1)
    except OSError:
        pass
"""
# Loads the model as Loam does, without Loam's word on telemetry, and lives for a while.
RUNTIME = """
import sys, time, onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1])
time.sleep(5)
"""
STORE = Path(".cache/Microsoft")


def run_inside(folder: Path) -> int:
    """Run everything in this network; return 1 if a look-up or a packet went out, or the watch did not see its own."""
    began = time.monotonic()
    route_lookups_to_tunnel(folder)
    tunnel = Tunnel()
    tunnel.start()
    home, var = folder / "home", folder / "var"
    home.mkdir()
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("LOAM_", "ORT_", "PIP_"))}
    environment |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"), "LOAM_VAR": str(var)}
    subprocess.run([sys.executable, "-c", CONTROL], check=True)
    control = tunnel.drain()
    print(f"control: {', '.join(sorted(set(control)))}")
    if control.count("sent to 198.51.100.7 port 443") == 0 or "looked up control.invalid" not in control:
        print("FAILED: the watch does not see a look-up and a connection")
        return 1

    faults = exercise(environment)
    if out := tunnel.drain():
        faults += sorted({f"{line} ({out.count(line)} times)" for line in out})
    if (home / STORE).exists():
        faults.append(f"ONNX Runtime has made its store of telemetry, {STORE}")
    print(f"{len(out)} packets and look-ups went out of the stack")

    model = next(var.glob("models/*/model.onnx"))
    subprocess.run([sys.executable, "-c", RUNTIME, str(model)], env=environment, check=True)
    if not (home / STORE).exists():
        faults.append("the watch does not see ONNX Runtime's telemetry, which was left on for once")
    else:
        sent = ", ".join(sorted(set(tunnel.drain()))) or "sent nothing yet"
        print(f"control: with its telemetry on, ONNX Runtime makes {STORE}; {sent}")
    for fault in faults:
        print(f"FAILED: {fault}")
    print(f"{time.monotonic() - began:.0f} s")
    return int(bool(faults))


def exercise(environment: dict[str, str]) -> list[str]:
    """Return what was wrong with Loam itself while it ran; the tunnel counts the rest."""
    first_run = load_module(ROOT / ".ci" / "first_run.py")
    with serve_loam(environment) as loam:
        lines = first_run.printed_lines(loam)
        Thread(target=shutil.copyfileobj, args=(loam.stdout, sys.stdout), daemon=True).start()
        first_run.check_answers(*map(first_run.run, lines))
        address = urlsplit(next(word for word in lines[0].split() if word.startswith("http")))
        base = f"{address.scheme}://{address.netloc}"
        for page in PAGES:
            with urllib.request.urlopen(base + page, timeout=30) as answer:
                assert answer.status == 200, page
        with suppress(urllib.error.HTTPError):  # whether all is well is another question
            urllib.request.urlopen(base + "/api/v1/health/", timeout=30).close()
        for command in (["doctor"], ["benchmark", "--sizes", "100"]):
            done = subprocess.run(
                [sys.executable, "manage.py", *command], cwd=ROOT, env=environment, capture_output=True, text=True
            )
            print(f"manage.py {' '.join(command)}: exit code {done.returncode}")
            if command == ["benchmark", "--sizes", "100"] and done.returncode:
                return [f"benchmark: {done.stderr.strip()[-300:]}"]
        jobs = wait_for_a_job(base)
        return [f"no job ran within {JOB} s"] * (not jobs) + programs_with_telemetry(loam.pid)


@contextmanager
def serve_loam(environment: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    loam = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--prepare", "--port", "0"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    try:
        yield loam
    finally:
        loam.send_signal(signal.SIGINT)
        try:
            loam.wait(60)
        except subprocess.TimeoutExpired:
            loam.kill()


def wait_for_a_job(base: str) -> int:
    """Return how many kinds of background jobs have run, by /metrics; at least one within JOB seconds, or 0."""
    until = time.monotonic() + JOB
    while time.monotonic() < until:
        with urllib.request.urlopen(base + "/metrics", timeout=30) as answer:
            names = [line for line in answer.read().decode().splitlines() if line.startswith("loam_job_started")]
        if names:
            print(f"{len(names)} kinds of background jobs have run")
            return len(names)
        time.sleep(2)
    return 0


def programs_with_telemetry(pid: int) -> list[str]:
    """Return the programs below `serve` that were started with ONNX Runtime's telemetry on."""
    found = []
    for process in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if process.environ().get("ORT_DISABLE_TELEMETRY") != "1" and "postgres" not in process.name():
                found.append(f"without ORT_DISABLE_TELEMETRY: {' '.join(process.cmdline())[:100]}")
    return found


def load_module(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


if __name__ == "__main__":
    sys.exit(main())
