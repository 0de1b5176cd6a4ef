"""The digest of a transcript: files, next steps, blockers, decisions and errors of a session that can no longer report
them.

*Files* are those that were changed: by a tool whose name says so, in a patch, or where the assistant says that it has
edited one; not those that were read. *Next steps* and *blockers*: the latest turn that names any has the list, because
earlier ones have been done since. *Errors* are what a tool reported and no later run of the same command resolved.
*Topics* are what was asked for, in the user's words. What was *asked* first, and what was *asked last* in a prompt that
says more than to continue, are stored in full. The *plan* is what the assistant said first, the *last message* what it
said last. Texts are not redacted: the caller that stores them has to.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sessions_app.transcripts.rules.blocks import both_ends, plain
from sessions_app.transcripts.rules.decisions import Decision, extract
from sessions_app.transcripts.rules.errors import TOOL, CommandOutcome, outcome
from sessions_app.transcripts.rules.files import changed, uncommitted
from sessions_app.transcripts.rules.plans import blocked, planned
from sessions_app.transcripts.rules.turn import ASSISTANT, LONGEST_TURN, USER, Turn, recent

# What the next session reads at its start. SAME has 20 files, 5 steps, 8 topics of 150 characters; here it is ten
# steps, because to-do lists kept by a tool are longer, and a step that is cut off is lost work.
MOST_FILES, MOST_STEPS, MOST_BLOCKERS, MOST_ERRORS, MOST_TOPICS = 20, 10, 5, 5, 8
LONGEST_TOPIC, LONGEST_STEP, LONGEST_ERROR = 150, 200, 300
# The lengths of the request, of the assistant's first words, and of its last ones.
LONGEST_ASKED, LONGEST_PLAN, LONGEST_MESSAGE = 600, 400, 1_200
# A shorter last message may be a remark between two tool calls, so what was said before it is included too.
LITTLE_SAID = 200
# A prompt of fewer words ("yes, go on", "run the tests again") asks for nothing that is not in another.
FEWEST_ASKED = 5


@dataclass(frozen=True)
class Digest:
    """Facts of a transcript, each once, in order; of what was left out for its size the number is stated.

    `failure`: {command, error} of the last command that failed and did not pass later, or {}; `uncommitted`: the files
    changed after the last commit.
    """

    topics: tuple[str, ...]
    files: tuple[str, ...]
    next_steps: tuple[str, ...]
    blockers: tuple[str, ...]
    decisions: tuple[Decision, ...]
    errors: tuple[str, ...]
    turns: int
    left_out: int
    asked: str = ""
    asked_last: str = ""
    plan: str = ""
    last_message: str = ""
    failure: dict[str, str] = field(default_factory=dict)
    uncommitted: tuple[str, ...] = ()


def digest(turns: Sequence[Turn], repo: str = "") -> Digest:
    """Return the digest of a transcript of that repository. If it is too long its end is read; of lists the latest
    items are kept.
    """
    read = [turn for _, turn in recent(turns)]
    failed = _standing(outcome(turn) for turn in read)
    lists = [
        (_once(path for turn in read for path in changed(turn, repo)), MOST_FILES),
        (_once(plain(step, LONGEST_STEP) for step in planned(read)), MOST_STEPS),
        (_once(plain(what, LONGEST_STEP) for what in blocked(read)), MOST_BLOCKERS),
        (_once(error[:LONGEST_ERROR] for error in failed.values()), MOST_ERRORS),
        (_once(_topic(turn) for turn in read), MOST_TOPICS),
    ]
    files, steps, blockers, errors, topics = (tuple(found[-most:]) for found, most in lists)
    left_out = len(turns) - len(read) + sum(max(0, len(found) - most) for found, most in lists)
    prompts = [turn.text for turn in read if _topic(turn)]
    spoken = [turn.text for turn in read if turn.role == ASSISTANT and turn.text.strip()]
    return Digest(
        *(topics, files, steps, blockers, tuple(extract(turns)), errors, len(turns), left_out),
        asked=plain(prompts[0], LONGEST_ASKED) if prompts else "",
        asked_last=plain(last_asked(prompts[1:]), LONGEST_ASKED),
        plan=plain(spoken[0], LONGEST_PLAN) if len(spoken) > 1 else "",
        last_message=_last_message(read),
        failure=_last_failure(failed),
        uncommitted=tuple(uncommitted(read, repo)[-MOST_FILES:]),
    )


def last_asked(prompts: Sequence[str]) -> str:
    """Return the last of these prompts that asks for something; "" for none."""
    return next((text for text in reversed(prompts) if len(text.split()) >= FEWEST_ASKED), "")


# Where what was said in earlier turns begins in a last message.
_BEFORE = " (Before that: "


def last_turn(last_message: str) -> str:
    """A last message without what was said in earlier turns."""
    return last_message.partition(_BEFORE)[0]


def _last_message(turns: Sequence[Turn]) -> str:
    """What the assistant said last, whether its turn ended or was cut off; the latest first, for a text may be cut.
    What says little ("You are welcome.") comes with what was said before it, in an earlier turn too.
    """
    said: list[str] = []
    for turn in reversed(turns):
        if said and len(" ".join(said)) >= LITTLE_SAID:
            break
        if turn.role == ASSISTANT and (text := plain(turn.text, LONGEST_TURN)):
            said.append(text)
    before = f"{_BEFORE}{' '.join(reversed(said[1:]))})" if said[1:] else ""
    return both_ends("".join([*said[:1], before]), LONGEST_MESSAGE)


def _last_failure(failed: dict[str, str]) -> dict[str, str]:
    """The command that failed last, without the name of the tool that ran it, and its error."""
    if not failed:
        return {}
    command, error = list(failed.items())[-1]
    return {"command": TOOL.sub("", " ".join(command.split())), "error": error[:LONGEST_ERROR]}


def _once(found: Iterable[str]) -> list[str]:
    """Each once, at the place where it came up last."""
    return list(dict.fromkeys(reversed([one for one in found if one])))[::-1]


def _topic(turn: Turn) -> str:
    """The first line a person typed; what a program put in their mouth (commands, reminders) is none."""
    if turn.role != USER:
        return ""
    line = next((line.strip() for line in turn.text.splitlines() if line.strip()), "")
    return (
        ""
        if line.startswith(("/", "<", "{")) and not line.startswith("<task>")
        else plain(line.removeprefix("<task>").removesuffix("</task>"), LONGEST_TOPIC)
    )


def _standing(outcomes: Iterable[CommandOutcome | None]) -> dict[str, str]:
    """Errors that no later run of their command took back, by command, the last to fail last."""
    failed: dict[str, str] = {}
    for one in outcomes:
        if one is not None:
            failed.pop(one.command, None)
            if one.error:
                failed[one.command] = one.error
    return failed
