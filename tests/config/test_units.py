"""What docs/operations gives to anyone who runs Loam by systemd or in a container."""

import ast
import re
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from config.management.commands.serve import ENVIRONMENT
from tests.cases import cases

ROOT = Path(settings.BASE_DIR)
UNITS = sorted(ROOT.glob("docs/operations/systemd/*.service"))
FILES = ["Dockerfile", *(str(path.relative_to(ROOT)) for path in UNITS)]

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}


class TestEachWayToRunIt:
    @cases("name", FILES)
    @cases("variable", sorted(ENVIRONMENT))
    def test_sets_what_serve_sets(self, name: str, variable: str) -> None:
        assert f"{variable}={ENVIRONMENT[variable]}" in (ROOT / name).read_text().replace("\\\n", " ").split()


def read_by_settings() -> set[str]:
    """Return the variables that config/settings.py reads: `env.bool("NAME")` and its like, and LOAM_VAR."""
    tree = ast.parse((ROOT / "config/settings.py").read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return {"LOAM_VAR"} | {
        call.args[0].value
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "env"
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }


class TestCompose:
    def test_has_the_programs_of_loam(self) -> None:
        assert set(OURS) == {"migrate", "web", "worker", "bulk", "beat"}

    @cases("name", sorted(OURS))
    def test_hands_on_every_setting_that_is_read(self, name: str) -> None:
        read = read_by_settings()
        assert len(read) > 40
        assert read - set(OURS[name]["environment"]) == set()

    def test_lets_every_setting_be_set_from_outside(self) -> None:
        """Those with a value take it from a variable of their own name; the rest have none and are handed on."""
        given = OURS["web"]["environment"]
        fixed = {name for name, value in given.items() if value is not None and f"${{{name}:" not in str(value)}
        # Where the host's folder of that name is mounted.
        assert fixed == {"LOAM_EVIDENCE_ROOT"}
        assert OURS["web"]["volumes"] == ["${LOAM_EVIDENCE_ROOT:-evidence}:/evidence:ro"]

    def test_hands_on_nothing_that_nobody_reads(self) -> None:
        others = {name for name in OURS["web"]["environment"] if not name.startswith("OTEL_")}
        assert others - read_by_settings() == set()

    @cases("name", sorted(SERVICES))
    def test_gives_each_container_what_it_needs_and_no_more(self, name: str) -> None:
        service = SERVICES[name]
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert "cap_add" not in service
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["user"].split(":")[0] not in {"", "0", "root"}
        assert not service.get("privileged")

    def test_runs_as_the_user_of_the_image(self) -> None:
        uid, gid = OURS["web"]["user"].split(":")
        made = (ROOT / "Dockerfile").read_text()
        assert f"groupadd --gid {gid} loam" in made
        assert f"useradd --uid {uid} --gid {gid}" in made

    def test_takes_images_by_exact_tags(self) -> None:
        images = [service["image"] for name, service in SERVICES.items() if name not in OURS]
        images += re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
        assert len(images) == 4
        for image in images:
            assert re.search(r":\d+\.\d+\.\d+(-|$)", image), f"{image} is another one tomorrow"


def options(unit: Path) -> dict[str, str]:
    """Return the unit's [Service] section; of an option that is given twice, the last."""
    parser = ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(unit)
    return dict(parser["Service"])


class TestUnits:
    @cases("unit", UNITS, ids=lambda unit: unit.name)
    def test_are_little_exposed(self, unit: Path) -> None:
        if shutil.which("systemd-analyze") is None:
            pytest.skip("there is no systemd-analyze here to ask")
        asked = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        if "unrecognized option" in done.stderr:
            pytest.skip("this systemd-analyze is older than version 250 and looks at no files")
        exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
        assert exposure, done.stderr
        assert float(exposure[1]) < 3.0

    @cases("unit", UNITS, ids=lambda unit: unit.name)
    def test_may_open_as_many_files_as_there_are_callers(self, unit: Path) -> None:
        assert int(options(unit)["LimitNOFILE"]) >= 65_536
