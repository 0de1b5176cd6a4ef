"""`make audit`: what is known against the packages we pin; skipped, with the reason, where nobody can be asked."""

import json
import subprocess
import sys

# Seconds for all of them; one that hangs is as good as none.
LONGEST = 300
# What pip-audit says when it reached nobody, and not when it found something.
UNREACHED = ("ConnectionError", "ServiceError", "Max retries", "timed out", "Could not connect", "resolve", "HTTPError")


def main(tool: str, *locks: str) -> int:
    """1 if something is known against a package."""
    named = [word for lock in locks for word in ("--requirement", lock)]
    asked = [tool, *named, "--no-deps", "--disable-pip", "--format", "json", "--progress-spinner", "off"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        return _skipped(f"no answer within {LONGEST} s")
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        last = (done.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1]
        if any(word in done.stderr for word in UNREACHED):
            return _skipped(last)
        sys.stderr.write(f"{last}\n")
        return 1
    known = [(one["name"], one["version"], hole["id"]) for one in packages for hole in one.get("vulns", [])]
    passed_over = [one["skip_reason"] for one in packages if "skip_reason" in one]
    if len(passed_over) == len(packages):
        return _skipped(passed_over[0] if passed_over else "there are none")
    for name, version, hole in known:
        sys.stdout.write(f"{name} {version}: {hole}\n")
    sys.stdout.write(f"{len(packages)} packages, {len(known)} known holes, {len(passed_over)} nobody knows of\n")
    return int(bool(known))


def _skipped(why: str) -> int:
    sys.stdout.write(f"Skipped: the packages could not be looked up ({why[:200]}).\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
