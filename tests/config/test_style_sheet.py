"""The committed style sheet is what `make css` makes, of every file that names classes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "templates" / "styles" / "loam.css"
BUILT = ROOT / "static" / "css" / "loam.css"
DAISYUI = re.search(r"daisyui@[\d.]+", (ROOT / "Makefile").read_text())
NAMES_CLASSES = re.compile(r"""\bclass="[a-z]|["']class["']: f?["'][a-z0-9{} :/-]+["']|className: ["']|classList\.""")


@pytest.fixture
def daisyui() -> None:
    """The one package that the build takes from npm, where `make css` puts it."""
    if (ROOT / "var/css/node_modules/daisyui").is_dir():
        return
    assert DAISYUI
    (ROOT / "var/css").mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--prefix", "var/css", "--no-audit", "--no-fund", DAISYUI[0]]
    try:
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as fault:
        pytest.skip(f"{DAISYUI[0]} is not in var/css and could not be fetched: {fault}")


def sources() -> set[Path]:
    """Return the files that the build reads for classes."""
    patterns = re.findall(r'@source "\.\./(.+?)";', SOURCE.read_text())
    assert patterns
    return {path for pattern in patterns for path in _found(pattern)}


def _found(pattern: str) -> list[Path]:
    base = ROOT / "templates"
    while pattern.startswith("../"):
        base, pattern = base.parent, pattern.removeprefix("../")
    return list(base.glob(pattern))


@pytest.mark.usefixtures("daisyui")
def test_is_what_make_css_makes(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("tailwindcss")
    command = [program, "-i", SOURCE, "-o", tmp_path / "loam.css", "--minify"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "loam.css").read_text() == BUILT.read_text(), "run `make css` and commit the result"


def test_is_made_of_every_file_that_names_classes() -> None:
    product = [
        *(
            path
            for app in ("accounts", "config", "knowledge", "sessions_app", "skills")
            for path in (ROOT / app).rglob("*.py")
        ),
        *(ROOT / "static/js").rglob("*.js"),
        *(ROOT / "templates").rglob("*.html"),
    ]
    named = {path for path in product if NAMES_CLASSES.search(path.read_text())}
    assert named - sources() == set()
    assert len(named) > 100


def test_has_one_scale_of_text_sizes() -> None:
    """A size in brackets, `text-[13px]`, is none of the scale in templates/styles/loam.css."""
    own = [path for path in (ROOT / "templates").rglob("*") if path.suffix in (".html", ".css")]
    found = {path: re.findall(r"text-\[[\d.]+\w+\]", path.read_text()) for path in own if "admin" not in path.parts}
    assert {path: sizes for path, sizes in found.items() if sizes} == {}


def test_fetches_its_fonts_from_here() -> None:
    addresses = re.findall(r"url\(([^)]+)\)", BUILT.read_text())
    fonts = [address.strip("\"'") for address in addresses if ".woff" in address]
    assert len(fonts) == 4
    assert all((BUILT.parent / font).is_file() for font in fonts)
    assert not [one for one in addresses if one.strip("\"'").startswith(("http", "//"))]
    assert BUILT.read_text().count("font-display:swap") == 4
