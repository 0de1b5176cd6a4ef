"""How much of a question is quoted from the error of a note."""

from hypothesis import given
from hypothesis import strategies as st

from knowledge.errors.rules.quoted_words import MOST_READ, AskedWords, asked_words, quoted_share, words_of
from tests.cases import cases

FULL_DISK = ("OSError: [Errno 28] No space left on device",)
POD = ("Last State: Terminated", "Reason: OOMKilled", "Exit Code: <num>")
VOLTAGE = ("Warn : target voltage may be too low for reliable debugging",)
MISSING = ("ModuleNotFoundError: No module named 'orjson'",)
LOCKED = ("error: cannot lock ref 'refs/remotes/origin/fix/pump': Unable to create 'pump.lock': File exists",)
# What says nothing by itself.
PLAIN = set(words_of("i get when the in on no what to is a my for of how do why with"))


@cases(
    ("text", "words"),
    [
        ("cannot open resource", ["cannot", "open", "resource"]),
        ("Read-only file_system", ["read", "only", "file", "system"]),
        ("java.lang.OutOfMemoryError: <num> of GC", ["java", "lang", "outofmemoryerror", "of", "gc"]),
        ("<Room> is closed", ["room", "is", "closed"]),
        ("Datei nicht geöffnet – №7", ["datei", "nicht", "geöffnet", "7"]),
        ("x" * 61, []),
    ],
)
def test_words_are_letters_and_digits(text: str, words: list[str]) -> None:
    assert words_of(text)[: len(words)] == words


def share(question: str, messages: tuple[str, ...], *errors: str) -> float:
    asked = asked_words(question, errors, errors)
    return quoted_share(asked, messages, {word: 1.0 for word in asked.words if word not in PLAIN})


@cases(
    ("question", "messages"),
    [
        ("No space left on device", FULL_DISK),
        ("I get OSError: [Errno 28] No space left on device in CI, why?", FULL_DISK),
        ("OOMKilled", POD),
        ("cannot lock ref", LOCKED),
        # All but the branch is the same.
        ("error: cannot lock ref 'refs/remotes/origin/fix/pump': Unable to create 'pump.lock': File exists", LOCKED),
        # What stands in quotes is quoted by itself.
        ('I get "cannot lock ref" when fetching the pumps repository at home', LOCKED),
    ],
)
def test_a_part_of_a_message_and_a_question_that_holds_the_whole_of_it_quote_it(
    question: str, messages: tuple[str, ...]
) -> None:
    assert share(question, messages) == 1.0


@cases(
    ("question", "messages", "least", "most"),
    [
        ("why is the optimizer OOMKilled with exit code 137", POD, 0.5, 0.8),
        ("cannot lock ref while I fetch", LOCKED, 0.5, 0.9),
        # Three words of a passage are a quotation, however much is said around it.
        ("since this morning I get no space left on device whenever I start the render farm", FULL_DISK, 0.6, 0.6),
        # Where the message goes on for longer than a name has words, the sentence does not name another thing.
        ("since this morning I get target voltage may be too low whenever I start the board again", VOLTAGE, 0.6, 0.6),
        ("is there any space left on the shelf of the lab", FULL_DISK, 0.0, 0.0),
        # Two plain words are no quotation, nor is a word.
        ("what exit code should a linter return", POD, 0.0, 0.0),
        ("the device", FULL_DISK, 0.0, 0.0),
        # It goes on with another name.
        ("I see ModuleNotFoundError: No module named 'lxml' in CI", MISSING, 0.0, 0.0),
        ("I see ModuleNotFoundError: No module named 'orjson' in CI", MISSING, 1.0, 1.0),
        ("nothing of it", FULL_DISK, 0.0, 0.0),
        ("", FULL_DISK, 0.0, 0.0),
    ],
)
def test_less_of_it_is_a_share_of_the_question(
    question: str, messages: tuple[str, ...], least: float, most: float
) -> None:
    assert least <= share(question, messages) <= most


def test_what_the_error_says_is_quoted_whatever_is_asked() -> None:
    assert share("this fails", POD, "OOMKilled exit code") == 1.0
    assert share("this fails", POD, "SIGTERM") == 0.0


def test_one_short_line_among_others_says_little() -> None:
    question = "please look at this\nexit code\nand tell me"
    assert share(question, POD) == 0.0
    assert share("exit code", POD) == 1.0


def test_each_two_words_that_stand_together_are_looked_up_and_those_that_few_notes_have() -> None:
    asked = asked_words("open open a file of the pump")
    assert asked.lookup(["pump"], PLAIN.__contains__) == (
        "('a' & 'open') | ('a' & 'file') | ('file' & 'of') | ('pump' & 'the') | 'pump'"
    )


def test_nothing_is_looked_up_for_no_words() -> None:
    assert asked_words("…?") == AskedWords()
    assert not asked_words("…?").lookup()


@given(st.text(max_size=600), st.text(max_size=100))
def test_any_text_makes_words_that_the_database_can_read(text: str, error: str) -> None:
    asked = asked_words(text, [error], [error])
    assert len(asked.words) <= MOST_READ
    assert all("'" not in word and "\\" not in word and word == word.lower() for word in asked.words)
    assert 0 <= quoted_share(asked, [error, text], dict.fromkeys(asked.words, 1.0)) <= 1
