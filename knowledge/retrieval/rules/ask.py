"""A question and its context as asked, and what can be read from its text without a database."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from knowledge.errors.rules.fingerprint import fingerprint, messages, searchable_lines, telling_messages
from knowledge.errors.rules.pasted_errors import split_question
from knowledge.errors.rules.quoted_words import AskedWords, asked_words
from knowledge.retrieval.rules.locality import Context, loose_files, named_files, repo_paths
from knowledge.retrieval.rules.question_parts import question_parts
from knowledge.retrieval.rules.recency import Recency, recency
from knowledge.rules.draft import clean_tags

# A reference in a sentence: "see PLAT-42".
_REFERENCE = re.compile(r"\b[A-Z][A-Z0-9]{1,11}-\d{1,9}\b")

# The most references read from one question.
MOST_REFERENCES = 10


def references(text: str) -> list[str]:
    """Return the references that a text names, each once, at most MOST_REFERENCES."""
    return list(dict.fromkeys(_REFERENCE.findall(text)))[:MOST_REFERENCES]


# Characters read of the asker's own words. A pasted error is reduced to its messages.
LONGEST_QUESTION = 4_000
# Messages read of all errors of a question. Two errors (one given, one pasted in the text) each have a type, a message
# and a cause or two.
MOST_MESSAGES = 4
# The weight of an error's words relative to those of the question, both in the vector and in the keywords. With 1 the
# error drowns the question; with 0.3 it is not found (docs/decisions/0015-errors-by-their-words.md).
ERROR_SHARE = 0.5


@dataclass(frozen=True)
class ReadQuestion:
    """The parsed question: the asker's words ("" if only an error was pasted) and the `errors`."""

    text: str
    errors: tuple[str, ...] = ()

    @cached_property
    def weighted_texts(self) -> list[tuple[str, float]]:
        """The texts to search for by meaning and by keyword, each with its weight; at least one."""
        found = dict.fromkeys(message for error in self.errors for message in messages(error))
        said = "\n".join(list(found)[:MOST_MESSAGES])
        if not self.text:
            return [(said or self.errors[0], 1.0)]
        return [(self.text, 1.0), (said, ERROR_SHARE)] if said else [(self.text, 1.0)]

    @cached_property
    def parts(self) -> list[str]:
        """The parts of a long question (`question_parts`); none of a short one."""
        return question_parts(self.text)

    @property
    def without_errors(self) -> "ReadQuestion":
        """The question without its errors, or itself if it has no other words."""
        return replace(self, errors=()) if self.text else self

    @cached_property
    def digests(self) -> list[str]:
        """The fingerprints of the errors, each once."""
        found = [fingerprint(error) for error in self.errors]
        return list(dict.fromkeys(one.digest for one in found if one))

    @cached_property
    def messages(self) -> list[str]:
        """The messages of the errors that say more than their type, each once."""
        return list(dict.fromkeys(message for error in self.errors for message in telling_messages(error)))

    @cached_property
    def quoting(self) -> AskedWords:
        """The words of the question, to compare with the messages of stored errors that it quotes in part or as a
        whole.
        """
        return asked_words(self.text, self.errors, [line for error in self.errors for line in searchable_lines(error)])


DEFAULT_LIMIT = 3
MOST = 50
DEEPEST = 2


@dataclass(frozen=True)
class Ask:
    """A question with its context.

    `text`: the question itself, perhaps with a pasted error. `teams`: slugs; none for all. `limit`: the most results.
    `trim`: False returns the ranked list without dropping weak results. `depth`: 0 for topics only, 1 for the best
    insight of each topic, 2 for all. `topic`: the id of the topic to search in, or "".
    """

    text: str
    files: Sequence[str] = ()
    symbols: Sequence[str] = ()
    tags: Sequence[str] = ()
    error: str = ""
    repo: str = ""
    kinds: Sequence[str] = ()
    teams: Sequence[str] = ()
    limit: int = DEFAULT_LIMIT
    min_score: float | None = None
    trim: bool = True
    depth: int = DEEPEST
    topic: str = ""
    # The files that import `files` or are imported by them, according to a code index.
    related: Sequence[str] = ()

    @cached_property
    def context(self) -> Context:
        repo = self.repo.strip()
        errors = "\n".join(self.question.errors)[:LONGEST_QUESTION]
        return Context(
            files=frozenset(repo_paths(self.files, repo)),
            loose=frozenset(loose_files(self.files, repo)),
            symbols=frozenset(self.symbols),
            tags=frozenset(clean_tags(self.tags)),
            repo=repo,
            related=frozenset(self.related),
            named=frozenset((*named_files(self.question.text), *named_files(errors))),
        )

    @cached_property
    def question(self) -> ReadQuestion:
        """The asker's words and the errors, separated. Without an error, the words are the text unchanged."""
        parted = split_question(self.text)
        errors = tuple(error for error in (self.error, parted.error) if error.strip())
        return ReadQuestion(parted.question[:LONGEST_QUESTION], errors)

    @property
    def latest(self) -> Recency | None:
        return recency(self.question.text)

    @property
    def references(self) -> list[str]:
        """The references that the text names."""
        return references(self.text)
