"""Files to ask and questions to them, assembled where the suite runs: nothing of it is downloaded.

Four sources: Python's library with its language reference, the manual pages of the system in five languages, the
descriptions of the installed packages, and the folder of an invented team (notes, decisions, runbooks, office files,
tables, logs up to 8 MB and packed ones, generated files). Questions are in `answers/questions.jsonl`, with the files
that answer each as globs; one that no file answers has none. They were written before anything was fitted on them: 150
at first, then 82 (`x…`), 25 of which ask for what is near to the files and not in them, 30 more of these (`nq`), and 35
and 30 that were asked when all was done (`xb`, `xc`). 203 more (`w…`), nearly half of them without an answer, are only
to be fitted on.
"""

import gzip
import json
import re
import shutil
import sysconfig
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email import message_from_string
from importlib import metadata
from pathlib import Path
from pydoc_data import topics
from random import Random

import docx

from knowledge.evidence.rules.scope import matches

HERE = Path(__file__).with_name("answers")
RUNBOOKS = Path(__file__).parents[1] / "demo" / "content" / "runbooks"
MANUALS = Path("/usr/share/man")
LANGUAGES = ("de", "fr", "es", "ru")
SECTIONS = ("man1", "man5", "man7", "man8")
# Thousands of pages of one program each: they would be most of the corpus.
LEFT_OUT = ("gcloud", "kubectl")
NO_LIBRARY = {"test", "idlelib", "lib2to3", "site-packages", "ensurepip", "__pycache__", "turtledemo", "pydoc_data"}


@dataclass(frozen=True)
class LabelledQuestion:
    """`files`: globs of the files that answer, none when none does."""

    id: str
    source: str
    text: str
    files: tuple[str, ...]
    lang: str = "en"

    @property
    def held_out(self) -> bool:
        """Whether nothing may be fitted on it: every second question of each kind."""
        return int(self.id[-2:]) % 2 == 0

    @property
    def is_near(self) -> bool:
        """Whether it asks for another thing of a kind that the files have, and was written to be fitted on."""
        return self.id.startswith("nq-")

    def answered_by(self, path: str) -> bool:
        return any(matches(glob, path) for glob in self.files)


def questions() -> list[LabelledQuestion]:
    """All questions, in the order they were written."""
    with (HERE / "questions.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [LabelledQuestion(**{**row, "files": tuple(row["files"])}) for row in rows]


def assemble(into: Path) -> dict[str, Path]:
    """Write the sources below `into`; name → folder, without those this machine has no files for."""
    made: dict[str, Callable[[Path], None]] = {
        "python": _library,
        "man": _manuals,
        "packages": _packages,
        "team": _team,
    }
    folders = {}
    for name, make in made.items():
        folder = into / name
        folder.mkdir(parents=True)
        make(folder)
        if any(folder.rglob("*.*")):
            folders[name] = folder
    return folders


def _library(into: Path) -> None:
    library = Path(sysconfig.get_path("stdlib"))
    for path in sorted(library.rglob("*.py")):
        within = path.relative_to(library)
        if not NO_LIBRARY & set(within.parts):
            target = into / within
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    (into / "topics").mkdir(exist_ok=True)
    for name, text in topics.topics.items():
        (into / "topics" / f"{name}.rst").write_text(text, encoding="utf-8")


def _manuals(into: Path) -> None:
    for language in ("", *LANGUAGES):
        target = into / (language or "en")
        target.mkdir(parents=True, exist_ok=True)
        for section in SECTIONS:
            for page in sorted((MANUALS / language / section).glob("*.gz")):
                if not page.is_symlink() and not page.name.startswith(LEFT_OUT):
                    _manual(page, target)


def _manual(page: Path, into: Path) -> None:
    source = gzip.decompress(page.read_bytes()).decode("utf-8", "replace")
    if not source.startswith(".so "):
        (into / f"{page.name.removesuffix('.gz')}.txt").write_text(_unmarked(source), encoding="utf-8")


_REQUEST = re.compile(r"^[.'](?:\\\"|[a-z]{2}\b|TH|so|ie|el|de|ds).*$", re.MULTILINE)
_MACRO = re.compile(r"^\.(SH|SS|TP|PP|IP|B|I|BR|RB|IR|RI|BI|Fl|Ar|Nm|Sh|Op|It|Pa|Nd)\b ?", re.MULTILINE)


def _unmarked(source: str) -> str:
    """A manual page without its marks, roughly: headings as headings, fonts gone."""
    text = re.sub(r"^\.(?:SH|SS|Sh)\s+\"?(.*?)\"?$", r"\n# \1\n", source, flags=re.MULTILINE)
    text = _NAMED.sub(_character, _MACRO.sub("", _REQUEST.sub("", text)))
    text = re.sub(r"\\f(?:\[\w*\]|\(..|.)|\\s[-+]?\d|\\[&|^]|\\m\[\w*\]", "", text)
    text = text.replace(r"\-", "-").replace(r"\(aq", "'").replace(r"\(cq", "'").replace(r"\e", "\\")
    return re.sub(r"\n{3,}", "\n\n", text)


# Characters by their names in groff, without which no word of French that has an accent is one.
_NAMED = re.compile(r"\\(?:\*\(|\()(..)")
_ACCENTS = {"'": "\u0301", "`": "\u0300", ":": "\u0308", "^": "\u0302", "~": "\u0303", ",": "\u0327"}
_CHARACTERS = {
    "Aq": "'", "AQ": "'", "aq": "'", "Fo": "«", "Fc": "»", "ss": "ß", "bu": "•", "lq": "“", "rq": "”", "oq": "‘",
    "cq": "’", "Bq": "„", "bq": "‚", "em": "—", "en": "–", "oe": "œ", "mu": "×", "hy": "-", 'L"': "“", 'R"': "”",
}  # fmt: skip


def _character(named: re.Match[str]) -> str:
    """The character that a name of groff stands for; as it is where that is not known."""
    name = named.group(1)
    if name[0] in _ACCENTS and name[1].isalpha():
        return unicodedata.normalize("NFC", name[1] + _ACCENTS[name[0]])
    return _CHARACTERS.get(name, named.group())


def _packages(into: Path) -> None:
    for one in metadata.distributions():
        about = message_from_string(one.read_text("METADATA") or "")
        text = str(about.get_payload() or about.get("Description", ""))
        if text.strip():
            (into / f"{about['Name']}.md").write_text(f"# {about['Name']}\n\n{about['Summary']}\n\n{text}")


# --- the team's folder ------------------------------------------------------------------------------------------
def _team(into: Path) -> None:
    rng = Random(17)
    shutil.copytree(HERE / "team", into, dirs_exist_ok=True)
    shutil.copytree(RUNBOOKS, into / "runbooks")
    for folder in ("logs/archive", "data", "exports", "web"):
        (into / folder).mkdir(parents=True)
    _write(into / "logs/customs-gateway.log", _gateway(rng))
    _write(into / "logs/importer-2026-03.log", _importer(rng))
    with gzip.open(into / "logs/archive/billing-2025-11.log.gz", "wt", encoding="utf-8") as packed:
        packed.writelines(f"{line}\n" for line in _billing(rng))
    _write(into / "data/shipments.csv", _shipments(rng))
    _write(into / "data/tariffs.csv", _tariffs(rng))
    _write(into / "exports/constants.txt", _constants(rng))
    _generated(into, rng)
    for name, paragraphs in OFFICE.items():
        document = docx.Document()
        for paragraph in paragraphs:
            document.add_paragraph(paragraph)
        document.save(str(into / "docs" / name))


OFFICE: dict[str, Sequence[str]] = {
    "leave-policy.docx": (
        "Leave",
        "Every employee has 28 days of paid leave a year. In the first calendar year it is counted by months.",
        "Leave that was not taken by 31 March of the following year is lost unless the lead agreed to move it.",
    ),
    "expenses.docx": (
        "Travel and expenses",
        "Second class train tickets to team offsites are refunded in full. Taxis only after 22:00.",
        "Hand in receipts within 30 days through the portal.",
    ),
}


def _write(path: Path, lines: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def _moments(rng: Random, start: datetime) -> Iterator[str]:
    at = start
    while True:
        at += timedelta(milliseconds=rng.randrange(40, 4_000))
        yield at.isoformat(sep=" ", timespec="milliseconds")


GATEWAY = (
    "INFO declaration {0} accepted by the customs system in {1} ms",
    "INFO retry of declaration {0} scheduled, attempt {2}",
    "WARN customs system answered slowly: {1} ms for shipment {0}",
    "INFO shipment {0} released",
)


def _gateway(rng: Random) -> Iterator[str]:
    moments = _moments(rng, datetime(2026, 3, 3, 4, 0))
    for number in range(40_000):
        shipment = f"WB{500_000 + number:08d}"
        line = rng.choice(GATEWAY).format(shipment, rng.randrange(8, 4_000), rng.randrange(1, 6))
        if number == 31_338:
            line = "ERROR shipment WB00412207 held: commodity code 9027 needs a dual-use licence, broker informed"
        yield f"{next(moments)} {line}"


IMPORTER = (
    "worker-{0} DEBUG read page {1} of feed catalogue",
    "worker-{0} INFO upserted {1} articles in {2} ms",
    "worker-{0} WARN article {1} has no weight, default used",
    "worker-{0} DEBUG connection to 10.31.7.{0} returned to the pool",
)


def _importer(rng: Random) -> Iterator[str]:
    moments = _moments(rng, datetime(2026, 3, 1))
    for number in range(110_000):
        line = rng.choice(IMPORTER).format(rng.randrange(1, 40), rng.randrange(1, 90_000), rng.randrange(1, 900))
        if number == 71_904:
            line = "worker-12 ERROR E-7731 checksum of delta 20260314 does not match, whole feed requested"
        if number == 99_001:
            line = "worker-7 ERROR connection refused by 10.31.7.204:5671, giving up after 5 attempts"
        yield f"{next(moments)} {line}"


def _billing(rng: Random) -> Iterator[str]:
    moments = _moments(rng, datetime(2025, 11, 1))
    for number in range(30_000):
        request = f"{rng.getrandbits(32):08x}-{rng.getrandbits(16):04x}-4a11-9c00-{rng.getrandbits(48):012x}"
        line = f"POST /invoices 201 {rng.randrange(10, 400)} ms request={request}"
        if number == 17_171:
            line = "POST /invoices 409 31 ms request=8f3c1d77-0b52-4e0f-9a6d-51c2f7e0aa19 reason=already-billed"
        yield f"{next(moments)} {line}"


COUNTRIES = ("NO", "DE", "FR", "ES", "NZ", "IE")
NAMES = ("Fjordline AS", "Hansen & Sohn", "Boulangerie Petit", "Ciudad Norte SL", "Kiwi Imports", "Orla Foods")


def _shipments(rng: Random) -> Iterator[str]:
    yield "shipment,consignee,country,weight_kg,booked"
    for number in range(20_000):
        name = "Marlow Instruments Ltd" if number == 17_755 else rng.choice(NAMES)
        yield f"WB{400_000 + number:08d},{name},{rng.choice(COUNTRIES)},{rng.randrange(1, 900)},2026-02"


def _tariffs(rng: Random) -> Iterator[str]:
    yield "code,description,duty_percent,unit"
    known = {"85076000": ("lithium-ion accumulators", "2.7"), "49011000": ("printed matter in single sheets", "0")}
    for chapter in range(10, 99):
        for heading in range(1, 60):
            code = f"{chapter}{heading:02d}{rng.randrange(10, 99)}00"
            if code not in known:
                yield f"{code},heading {heading} of chapter {chapter},{rng.randrange(0, 160) / 10},kg"
    for code, (about, duty) in known.items():
        yield f"{code},{about},{duty},piece"


def _constants(rng: Random) -> Iterator[str]:
    """2 MB of settings, one of which a question names."""
    for number in range(48_000):
        yield f"PARAM_{number:05d}_{rng.choice(('WIDTH', 'TIMEOUT', 'DEPTH'))} = {rng.randrange(1, 9_999)}"
        if number == 30_303:
            yield "# set by customs operations, see the contract with the broker"
            yield "CUSTOMS_RETRY_LIMIT = 7"


def _generated(into: Path, rng: Random) -> None:
    """What tools write, full of words people ask for."""
    words = ("customs", "retry", "shipment", "redis", "broker", "label", "invoice", "carrier", "tariff", "printer")
    minified = ";".join(f"function {rng.choice(words)}{n}(a,b){{return {rng.choice(words)}(a)}}" for n in range(9_000))
    (into / "web/app.min.js").write_text(minified)
    locked = {f"{rng.choice(words)}-{n}": {"version": f"{n % 9}.0.1", "integrity": "sha512-"} for n in range(3_000)}
    (into / "web/package-lock.json").write_text(json.dumps({"packages": locked}, indent=1))
