"""A question on its way in, and what can be read off it without looking anything up."""

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

# A reference as people write it in a sentence: "see PLAT-42".
_REFERENCE = re.compile(r"\b[A-Z][A-Z0-9]{1,11}-\d{1,9}\b")

# Nobody asks for more in one breath.
MOST_REFERENCES = 10


def references(text: str) -> list[str]:
    """The references a text names, each once, at most a handful."""
    return list(dict.fromkeys(_REFERENCE.findall(text)))[:MOST_REFERENCES]


# Most characters read of the asker's own words; a pasted error is reduced to its messages.
LONGEST_QUESTION = 4_000
# The error given and one that was pasted: each with its type, its message and a cause or two.
MOST_MESSAGES = 4
# The weight of an error's words against those of the question, both in its vector and among its keywords. Measured
# (docs/decisions/0015-errors-by-their-words.md): with 1 the error drowns the question, with .3 it is not found.
ERROR_SHARE = 0.5


@dataclass(frozen=True)
class ReadQuestion:
    """The parsed question: the asker's words ("" if only an error was pasted) and the `errors`."""

    text: str
    errors: tuple[str, ...] = ()

    @cached_property
    def weighted_texts(self) -> list[tuple[str, float]]:
        """The texts that are searched by meaning and by keyword, each with its weight; at least one."""
        found = dict.fromkeys(message for error in self.errors for message in messages(error))
        said = "\n".join(list(found)[:MOST_MESSAGES])
        if not self.text:
            return [(said or self.errors[0], 1.0)]
        return [(self.text, 1.0), (said, ERROR_SHARE)] if said else [(self.text, 1.0)]

    @cached_property
    def parts(self) -> list[str]:
        """The pieces of a long question in the asker's words; none of a short one."""
        return question_parts(self.text)

    @property
    def without_errors(self) -> "ReadQuestion":
        """The words of the errors left out, unless there are no others."""
        return replace(self, errors=()) if self.text else self

    @cached_property
    def digests(self) -> list[str]:
        """The fingerprints of the errors."""
        found = [fingerprint(error) for error in self.errors]
        return list(dict.fromkeys(one.digest for one in found if one))

    @cached_property
    def messages(self) -> list[str]:
        """The messages of the errors, as far as they identify them."""
        return list(dict.fromkeys(message for error in self.errors for message in telling_messages(error)))

    @cached_property
    def quoting(self) -> AskedWords:
        """Its words, by which the message of a stored error is found that it names in part or holds as a whole."""
        return asked_words(self.text, self.errors, [line for error in self.errors for line in searchable_lines(error)])


DEFAULT_LIMIT = 3
MOST = 50
DEEPEST = 2


@dataclass(frozen=True)
class Ask:
    """A question with its context. `teams` are slugs, none meaning all; `trim` off gives the ranked list as it is.

    `depth`: 0 topics only, 1 the best insight of each, 2 all; `topic`: the id of the one to look into, or none.
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
    # Files next to `files` in a code index: their imports and their importers.
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
        """What the text asks, apart from an error that was pasted into it. With no error it is the text as it came."""
        parted = split_question(self.text)
        errors = tuple(error for error in (self.error, parted.error) if error.strip())
        return ReadQuestion(parted.question[:LONGEST_QUESTION], errors)

    @property
    def latest(self) -> Recency | None:
        return recency(self.question.text)

    @property
    def references(self) -> list[str]:
        """References named in the text."""
        return references(self.text)
