"""How much of what was said is told: dialogues with questions, cases of decisions, and plain ways to compare with.

Two shares are taken of the evidence of a question. `turns`: of how many of its turns anything was told; `text`: how
much of their words. The baselines rank whole turns and are given all of the room; what stands at its end is cut.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

import numpy as np

from knowledge.retrieval.rules import bm25
from knowledge.retrieval.rules.relevance import Floats
from sessions_app.lab.metrics.tables import Table, decimal
from sessions_app.transcripts.rules.turn import ASSISTANT, USER, Turn

# The customary BM25 of the field, and the fixed sum of the evaluation's other tables.
K1, B = 1.2, 0.75
KEYWORDS = 0.05
# A line that a baseline's turn takes beside its words.
LINE = 8
# A sentence is known by so many of its characters: the end of a long one may have been cut.
LONGEST_COMPARED = 60
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Utterance:
    """One turn of a dialogue. `id` is as its questions name it."""

    id: Any
    session: Any
    role: str
    text: str


@dataclass(frozen=True)
class DialogueQuestion:
    """A question, and the ids of the turns that answer it."""

    text: str
    evidence: tuple[Any, ...]


@dataclass(frozen=True)
class Dialogue:
    """One dialogue over several sessions, and what is asked of it."""

    name: str
    utterances: Sequence[Utterance]
    questions: Sequence[DialogueQuestion]


@dataclass(frozen=True)
class DialogueLayout:
    """The files of a set, and the names of its fields."""

    documents: str
    questions: str
    dialogue: str
    session: str
    speaker: str


LAYOUTS = {
    "locomo": DialogueLayout("locomo.docs.jsonl", "locomo.questions.jsonl", "conv", "session", "speaker"),
    "beam": DialogueLayout("beam.docs.jsonl.gz", "beam.questions.jsonl", "chat", "batch", "role"),
}


def dialogues(name: str, rows: Sequence[Mapping[str, Any]], asked: Sequence[Mapping[str, Any]]) -> list[Dialogue]:
    """The dialogues of a set; questions without evidence are left out."""
    layout = LAYOUTS[name]
    said: dict[str, list[Utterance]] = defaultdict(list)
    first: dict[str, str] = {}
    for row in rows:
        speaker = row[layout.speaker]
        starts = first.setdefault(row[layout.dialogue], speaker)
        # Who speaks is part of what is said, where people have names: questions name them.
        text = row["text"] if speaker in (USER, ASSISTANT) else f"{speaker}: {row['text']}"
        role = USER if speaker in (USER, starts) else ASSISTANT
        said[row[layout.dialogue]].append(Utterance(row["id"], row[layout.session], role, text))
    questions: dict[str, list[DialogueQuestion]] = defaultdict(list)
    for row in asked:
        there = {one.id for one in said[row[layout.dialogue]]}
        if evidence := tuple(id for id in row["evidence"] if id in there):
            questions[row[layout.dialogue]].append(DialogueQuestion(row["text"], evidence))
    return [Dialogue(key, some, questions[key]) for key, some in said.items()]


def recalled(question: DialogueQuestion, dialogue: Dialogue, served: Mapping[int, str]) -> tuple[float, float]:
    """The shares of the evidence, by its turns and by its text. `served`: what was told, by the place of its turn."""
    places = [place for place, one in enumerate(dialogue.utterances) if one.id in set(question.evidence)]
    told = [_share(dialogue.utterances[place].text, served.get(place, "")) for place in places]
    return mean(value > 0 for value in told), mean(told)


def is_of(sentence: str, text: str) -> bool:
    """Whether a sentence was said in a turn of that text."""
    return " ".join(sentence.split())[:LONGEST_COMPARED] in " ".join(text.split())


def _share(text: str, told: str) -> float:
    words, have = Counter(_WORD.findall(text.lower())), Counter(_WORD.findall(told.lower()))
    return (words & have).total() / max(words.total(), 1)


def baselines(dialogue: Dialogue, question: DialogueQuestion, cosine: Floats) -> dict[str, list[int]]:
    """The places of the turns, best first, by each plain way."""
    said = [Counter(bm25.terms(one.text)) for one in dialogue.utterances]
    df = Counter(term for counts in said for term in counts)
    average = mean(counts.total() for counts in said) or 1.0
    rarity = {term: bm25.idf(len(said), df[term]) for term in set(bm25.terms(question.text)) if df[term]}

    def score(counts: Counter[str]) -> float:
        norm = K1 * (1 - B + B * counts.total() / average)
        return sum(weight * counts[t] * (K1 + 1) / (counts[t] + norm) for t, weight in rarity.items() if counts[t])

    keyword = np.array([score(counts) for counts in said])
    spread = max(float(keyword.std()), float(keyword.max()) / 10, 1e-9)
    ways = {"BM25 of turns": keyword, "plain hybrid of turns": cosine + KEYWORDS * keyword / spread}
    return {way: np.argsort(-values, kind="stable").tolist() for way, values in ways.items()}


def packed(dialogue: Dialogue, ranked: Sequence[int], room: int) -> dict[int, str]:
    """The turns that fit into so many characters, in this order; the last one is cut."""
    served = {}
    for place in ranked:
        if room <= LINE:
            break
        served[place] = dialogue.utterances[place].text[:room]
        room -= len(served[place]) + LINE
    return served


def table(shares: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Table:
    """Of each set and on the mean: the share of the evidence's turns, and of its text."""
    ways = list(next(iter(shares.values())))
    rows = []
    for way in ways:
        values = [[of[way][what] for of in shares.values()] for what in ("turns", "text")]
        cells = [f"{decimal(a)} / {decimal(b)}" for a, b in zip(*values, strict=True)]
        rows.append([way, *cells, f"{decimal(mean(values[0]))} / {decimal(mean(values[1]))}"])
    note = "Of the evidence: turns of which anything was told / words told."
    return Table("Evidence told within 800 tokens", ["", *shares, "mean"], rows, note)


# --- cases of decisions -----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class DecisionCase:
    """A question whose answer was decided in `chats`, the oldest first; `facts` are strings of the answer."""

    id: str
    question: str
    chats: Sequence[Sequence[Turn]]
    facts: Sequence[str]


def case(row: Mapping[str, Any]) -> DecisionCase:
    return DecisionCase(str(row["id"]), row["question"], [turns(chat) for chat in row["chats"]], row["facts"])


def turns(chat: Sequence[Mapping[str, str]]) -> list[Turn]:
    return [Turn(turn["role"], turn["text"]) for turn in chat]


def case_figures(
    cases: Sequence[DecisionCase], told: Sequence[tuple[Sequence[tuple[str, int]], str]]
) -> dict[str, Any]:
    """`told`: of each case the conversations served (case, number of the chat), in order, and the text.

    `newest_first`: of the amended decisions, how many have their latest conversation before all their earlier ones.
    """
    shares = [
        mean(fact.lower() in text.lower() for fact in one.facts)
        for one, (_, text) in zip(cases, told, strict=True)
        if one.facts
    ]
    amended = [(one, served) for one, (served, _) in zip(cases, told, strict=True) if len(one.chats) > 1]
    served = [(one.id, id) for one, (some, _) in zip(cases, told, strict=True) for id, _ in some]
    return {
        "facts": mean(shares) if shares else None,
        "newest_first": mean(_newest_first(one, some) for one, some in amended) if amended else None,
        "right": mean(mine == id for mine, id in served) if served else None,
        "answered": mean(bool(some) for some, _ in told),
    }


def _newest_first(one: DecisionCase, served: Sequence[tuple[str, int]]) -> bool:
    mine = [number for id, number in served if id == one.id]
    return bool(mine) and mine[0] == len(one.chats) - 1


def case_table(figures: Mapping[str, Any]) -> Table:
    """The figures by budget."""
    names = {
        "facts": "facts told",
        "newest_first": "latest first, of amended",
        "right": "of the served, right",
        "answered": "answered",
    }
    budgets = [key for key, value in figures.items() if isinstance(value, dict)]
    rows = [
        [
            f"{budget} tokens",
            *("–" if figures[budget][name] is None else decimal(figures[budget][name]) for name in names),
        ]
        for budget in budgets
    ]
    return Table(f"Decisions: {figures['cases']} cases, {figures['amended']} amended", ["", *names.values()], rows)
