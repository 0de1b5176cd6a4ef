"""Pieces of work that an agent is in the middle of: what it is asked, does, decides, leaves undone and says last."""

from dataclasses import dataclass
from pathlib import Path

from tests.clients.facts import DECISION, FAILURE, FILE, LAST, NEXT, Fact
from tests.clients.script import Edit, Reply, Run, Write

FILES = {
    "README.md": "# Shop\n\nThe admin listens on port 8712.\n",
    "importer/tariffs.py": "def tariff(weight):\n    return round(weight / 1000, 2)\n",
    "export/invoices.py": "def rows(invoices):\n    return [str(one) for one in invoices]\n",
    "tests/__init__.py": "",
}


@dataclass(frozen=True)
class Work:
    """`prompt` is a person's; `steps` the agent's, the last words apart. `facts`: what a successor needs to know."""

    prompt: str
    steps: tuple[Reply, ...]
    last: str
    facts: tuple[Fact, ...]
    # In the prompt alone: nobody but the person who wrote it is to read it.
    private: str = ""

    def killed(self, marker: Path) -> tuple[Reply, ...]:
        """The steps, then the last words with a command that runs until the agent is killed."""
        return (*self.steps, Reply(self.last, (Run(f"touch {marker}; sleep 120"),)))

    def ended(self) -> tuple[Reply, ...]:
        return (*self.steps, Reply(self.last))


TARIFFS = Work(
    prompt="Parcels of the Lindqvist account are billed a cent too much: mend the rounding in importer/tariffs.py.",
    private="Lindqvist",
    steps=(
        Reply(
            "The rounding happens before the sum. We decided to keep net weights in whole grams until the invoice is "
            "written, because kilograms lose the third digit.",
            (Run("cat importer/tariffs.py"),),
        ),
        Reply("", (Edit("importer/tariffs.py", "    return round(weight / 1000, 2)", "    return int(weight)"),)),
        Reply(
            "",
            (Write("tests/test_tariffs.py", "from importer.tariffs import tariff\n\nassert tariff(2999) == 2999\n"),),
        ),
    ),
    last="The importer counts grams now.\n\nNext steps:\n"
    "1. Drop the second rounding in `tariff_total`\n"
    "2. Cover parcels above 31.5 kg in the tests\n"
    "3. Rename the CSV column `weight` to `grams`\n",
    facts=(
        Fact(FILE, "importer/tariffs.py"),
        Fact(FILE, "tests/test_tariffs.py"),
        Fact(DECISION, "net weights in whole grams"),
        Fact(NEXT, "Drop the second rounding in tariff_total"),
        Fact(NEXT, "Cover parcels above 31.5 kg"),
        Fact(NEXT, "Rename the CSV column weight to grams"),
        Fact(LAST, "The importer counts grams now"),
    ),
)

INVOICES = Work(
    prompt="The invoice export for Kowalczyk runs out of memory: make export/invoices.py write its rows as they come.",
    private="Kowalczyk",
    steps=(
        Reply(
            "I'll go with a generator instead of a list: the export then holds one invoice at a time.",
            (Run("cat export/invoices.py"),),
        ),
        Reply(
            "",
            (
                Edit(
                    "export/invoices.py",
                    "    return [str(one) for one in invoices]",
                    "    for one in invoices:\n        yield str(one)",
                ),
            ),
        ),
        Reply("", (Write("export/writer.py", "def write(rows, file):\n    file.writelines(rows)\n"),)),
    ),
    last="Rows are streamed, the writer is separate.\n\nStill to do:\n"
    "- call `flush_every` after 500 rows in the writer\n"
    "- measure the peak memory with 90000 invoices\n",
    facts=(
        Fact(FILE, "export/invoices.py"),
        Fact(FILE, "export/writer.py"),
        Fact(DECISION, "a generator instead of a list"),
        Fact(NEXT, "call flush_every after 500 rows"),
        Fact(NEXT, "measure the peak memory with 90000 invoices"),
        Fact(LAST, "Rows are streamed, the writer is separate"),
    ),
)

# Ends with a test that fails, and why.
FAILING = Work(
    prompt=TARIFFS.prompt,
    private=TARIFFS.private,
    steps=(
        *TARIFFS.steps[:2],
        Reply(
            "",
            (
                Write(
                    "tests/test_grams.py",
                    "import unittest\n\nfrom importer.tariffs import tariff\n\n\nclass Grams(unittest.TestCase):\n"
                    "    def test_half_a_gram(self):\n"
                    "        self.assertEqual(tariff(0.5), 1, 'half a gram is lost')\n",
                ),
            ),
        ),
        Reply("", (Run("python3 -m unittest tests.test_grams"),)),
    ),
    last="test_half_a_gram fails: int() truncates where the tariff rounds up.\n\nRemaining:\n"
    "1. Use math.ceil in `tariff`\n"
    "2. Run the whole suite again\n",
    facts=(
        Fact(FILE, "importer/tariffs.py"),
        Fact(FILE, "tests/test_grams.py"),
        Fact(DECISION, "net weights in whole grams"),
        Fact(FAILURE, "python3 -m unittest tests.test_grams"),
        Fact(FAILURE, "half a gram is lost"),
        Fact(NEXT, "Use math.ceil in tariff"),
        Fact(NEXT, "Run the whole suite again"),
        Fact(LAST, "int() truncates where the tariff rounds up"),
    ),
)

TRIVIAL_PROMPT = "On which port does the admin listen?"
TRIVIAL_ANSWER = "The admin listens on port 8712, the README says."
# A neutral prompt: nothing of what was planted is in it.
GO_ON = "Please go on with what was left here."
