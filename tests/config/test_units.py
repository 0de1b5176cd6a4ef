"""What docs/operations gives to whoever runs Loam by systemd or in a container."""

from pathlib import Path

import pytest
from django.conf import settings

from config.management.commands.serve import ENVIRONMENT

ROOT = Path(settings.BASE_DIR)
FILES = ["Dockerfile", *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/operations/systemd/*.service"))]


class TestEachWayToRunIt:
    @pytest.mark.parametrize("name", FILES)
    @pytest.mark.parametrize("variable", sorted(ENVIRONMENT))
    def test_sets_what_serve_sets(self, name: str, variable: str) -> None:
        assert f"{variable}={ENVIRONMENT[variable]}" in (ROOT / name).read_text().replace("\\\n", " ").split()
