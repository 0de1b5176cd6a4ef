"""Cut a transcript into passages: one to a few consecutive turns of one speaker, at most about 180 words each.

The cut starts again whenever the speaker changes. So the same turns give the same passages wherever the transcript
begins: a client sends only the end of a long one. Within the turns of one speaker, a turn joins the passage before it
while that one is short; a longer turn is cut between paragraphs, then lines, then sentences. Code keeps its first
lines. What tools did becomes one line after the words that it follows: the files edited, and the commands with their
results.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

from sessions_app.conversations.rules.tool_lines import Activity, activity_of
from sessions_app.transcripts.rules.speakers import Speaker
from sessions_app.transcripts.rules.turn import ASSISTANT, USER, Turn

# The embedder reads 256 word pieces at most, some 190 English words; the rest of a longer text has no vector.
MOST_WORDS = 180
# A turn joins the passage before it while that one has fewer words: "Let me look." says nothing by itself.
FEW_WORDS = 40
MOST_FILES = 20
# Lines of a block of code that are kept, and characters of a line.
MOST_CODE_LINES, LONGEST_CODE_LINE = 4, 160

_FENCE = re.compile(
    r"^[ \t]*+(?P<mark>`{3,}+|~{3,}+)(?P<info>[^\n]*+)\n(?P<body>.*?)(?:^[ \t]*+(?P=mark)[`~]*+[ \t]*+$|\Z)",
    re.MULTILINE | re.DOTALL,
)
# What a client writes around a user's words.
_ADDED = re.compile(
    r"<(system-reminder|local-command-\w+|command-\w+|environment_context)\b[^<>]*>.*?(?:</\1>|\Z)",
    re.DOTALL,
)
_PARAGRAPHS = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)*_]*\s+(?=[^\sa-z])|(?<=[。！？])")
_DIFF_PATH = re.compile(r"\+\+\+ |\*\*\* (?:Update|Add|Delete) File: |diff --git ")


@dataclass(frozen=True)
class Piece:
    """A passage before it is stored. `first_turn` and `last_turn` count from 0 in the transcript. `files` were edited
    in these turns, or otherwise around them. `at` is an ISO time or empty.
    """

    speaker: Speaker
    text: str
    files: tuple[str, ...]
    first_turn: int
    last_turn: int
    at: str = ""


def split_into_passages(turns: Sequence[Turn], repo: str = "") -> list[Piece]:
    """Return the passages of a transcript of that repository in order. The texts are unchanged: the caller redacts the
    turns before.
    """
    runs = [list(run) for _, run in groupby(enumerate(turns), key=lambda one: speaker_of(one[1]))]
    found: list[Piece] = []
    for run, after in pairwise([*runs, []]):
        speaker = speaker_of(run[0][1])
        pieces = _pieces_of(speaker, run, repo)
        around = _edited(run if speaker is Speaker.AGENT else after, repo)
        found.extend(piece if piece.files else replace(piece, files=around) for piece in pieces)
    return found


def speaker_of(turn: Turn) -> Speaker:
    return Speaker.USER if turn.role == USER else Speaker.AGENT


@dataclass
class _OpenPassage:
    """A passage under construction: its blocks, and what tools did after them."""

    first: int
    last: int
    at: str
    blocks: list[str] = field(default_factory=list)
    done: list[Activity] = field(default_factory=list)

    @property
    def words(self) -> int:
        return sum(count_words(block) for block in self.blocks)

    def close(self, speaker: Speaker) -> Piece | None:
        """Return the passage, or None if it says nothing."""
        merged = sum(self.done, Activity())
        text = "\n\n".join(filter(None, [*self.blocks, merged.line]))
        files = tuple(dict.fromkeys(merged.files))[:MOST_FILES]
        return Piece(speaker, text, files, self.first, self.last, self.at) if text else None


def _pieces_of(speaker: Speaker, run: Sequence[tuple[int, Turn]], repo: str) -> list[Piece]:
    """Return the passages of consecutive turns of one speaker."""
    opened: list[_OpenPassage] = []
    for place, turn in run:
        if speaker is Speaker.AGENT and turn.role != ASSISTANT:
            if not opened:
                opened.append(_OpenPassage(place, place, turn.at))
            opened[-1].done.append(activity_of(turn, repo))
            opened[-1].last = place
        else:
            _add_turn(opened, place, turn)
    return [piece for one in opened if (piece := one.close(speaker))]


def _add_turn(opened: list[_OpenPassage], place: int, turn: Turn) -> None:
    """Add the words of a turn to the open passage, or to new ones."""
    fresh = not opened or opened[-1].words >= FEW_WORDS or bool(opened[-1].done and opened[-1].blocks)
    for block in blocks_of(turn.text):
        if fresh or opened[-1].words + count_words(block) > MOST_WORDS:
            led = _take_lead(opened[-1]) if opened and not fresh else []
            opened.append(_OpenPassage(place, place, turn.at, led))
            fresh = False
        opened[-1].blocks.append(block)
        opened[-1].last = place


def _take_lead(passage: _OpenPassage) -> list[str]:
    """Take the heading that ends a passage out of it, for the next passage. A passage is not left empty."""
    return [passage.blocks.pop()] if len(passage.blocks) > 1 and _leads_on(passage.blocks[-1]) else []


def _leads_on(block: str) -> bool:
    """Return whether the block is a heading, or the line above a list: it stays with what follows."""
    return "\n" not in block and (block.startswith("#") or block.rstrip("*_ ").endswith(":"))


def _edited(run: Sequence[tuple[int, Turn]], repo: str) -> tuple[str, ...]:
    done = sum((activity_of(turn, repo) for _, turn in run if speaker_of(turn) is Speaker.AGENT), Activity())
    return tuple(dict.fromkeys(done.files))[:MOST_FILES]


# --- the words of a turn ------------------------------------------------------------------------------------
def blocks_of(text: str) -> Iterator[str]:
    """Return the paragraphs of a turn, none longer than a passage, with its code shortened."""
    text = _FENCE.sub(_shortened, _ADDED.sub("", text.replace("\r\n", "\n")))
    for paragraph in _PARAGRAPHS.split(text):
        if paragraph.strip():
            yield from _fitting(paragraph.strip("\n").rstrip(), (_by_lines, _by_sentences, _by_words))


def count_words(text: str) -> int:
    """Return the number of words of a text; text written without spaces counts by its length."""
    return max(len(text.split()), len(text) // 12)


def _fitting(text: str, ways: Sequence[object]) -> Iterator[str]:
    """Return the text in parts of at most MOST_WORDS, each as full as possible, cut by the first of these ways that
    applies.
    """
    if count_words(text) <= MOST_WORDS or not ways:
        yield text
        return
    split, *finer = ways
    parts, joiner = split(text)  # type: ignore[operator]
    held = ""
    for part in parts:
        both = f"{held}{joiner}{part}" if held else part
        if count_words(both) <= MOST_WORDS:
            held = both
            continue
        if held:
            yield held
        *whole, held = _fitting(part, finer)
        yield from whole
    if held.strip():
        yield held


def _by_lines(text: str) -> tuple[list[str], str]:
    return text.split("\n"), "\n"


def _by_sentences(text: str) -> tuple[list[str], str]:
    return [part for part in _SENTENCE_END.split(text) if part], " "


def _by_words(text: str) -> tuple[list[str], str]:
    """Return the words; a word too long for a passage, like minified code, in parts."""
    long = 12 * MOST_WORDS
    return [word[at : at + long] for word in text.split() for at in range(0, len(word), long)], " "


def _shortened(match: re.Match[str]) -> str:
    """Return the first lines of a block of code (of a diff, its files first), and the number of lines left out."""
    lines = [line.rstrip() for line in match["body"].split("\n") if line.strip()]
    paths = [line for line in lines if _DIFF_PATH.match(line)]
    kept = [*paths[:MOST_CODE_LINES], *(line for line in lines if line not in paths)][:MOST_CODE_LINES]
    shown = [line if len(line) <= LONGEST_CODE_LINE else line[: LONGEST_CODE_LINE - 1] + "…" for line in kept]
    if len(lines) > len(kept):
        shown.append(f"… {len(lines) - len(kept)} more lines")
    return "\n".join([f"```{match['info'].strip()}", *shown, "```\n"])
