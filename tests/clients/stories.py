"""Twelve stories of a session that stops and the one after it: what was planted, and what the next model is told."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.clients import works
from tests.clients.driver import Driver, Play, Session, Setup
from tests.clients.drivers.claude import ClaudeCode
from tests.clients.drivers.codex import Codex
from tests.clients.drivers.opencode import OpenCode
from tests.clients.facts import Fact, held, invented
from tests.clients.follow import reader, session_in, told_by_loam
from tests.clients.script import Ask, Asked, Reply, Script, Step
from tests.clients.works import FAILING, GO_ON, INVOICES, TARIFFS, Work
from tests.clients.world import Gate, World


@dataclass(frozen=True)
class Outcome:
    """A story's end. `before` and `after`: the sessions that planted, and the one that reads."""

    story: str
    facts: tuple[Fact, ...]
    before: tuple[Session, ...]
    after: Session
    # Not to be told to this reader (another person's prompt, a trivial session offered as the work).
    withheld: tuple[str, ...] = ()

    def held(self, text: str) -> tuple[Fact, ...]:
        return held(self.facts, text)

    @property
    def at_start(self) -> str:
        """What Loam told before the model said a word."""
        return told_by_loam(self.after.asked[0]) if self.after.asked else ""

    @property
    def told(self) -> str:
        """All that Loam told, the call that it pointed to included."""
        return "\n".join(told_by_loam(asked) for asked in self.after.asked)

    @property
    def context(self) -> str:
        """Everything the model read, from any source."""
        return "\n".join(asked.context for asked in self.after.asked)

    @property
    def missing(self) -> tuple[Fact, ...]:
        found = self.held(self.context)
        return tuple(fact for fact in self.facts if fact not in found)

    @property
    def invented(self) -> tuple[str, ...]:
        """Names that Loam told and nobody had said, and what it was not to tell."""
        said = [asked.context for session in self.before for asked in session.asked]
        said += [text for session in self.before for text in session.said]
        others = [block.text for asked in self.after.asked for block in asked.blocks if "team-memory" not in block.text]
        notes = [hook.context for hook in self.after.hooks if hook.event != "SessionStart"]
        return invented(self.told, "\n".join([*said, *others, *notes]))

    @property
    def leaked(self) -> tuple[str, ...]:
        return tuple(words for words in self.withheld if words in self.told)


def _two(
    first: Driver, second: Driver, play: Play, *, prompt: str = GO_ON, headless: bool = True
) -> tuple[Session, Session]:
    """A session, then the one that reads; each client is installed as it begins."""
    return first.play(play), second.play(Play((prompt,), Script(*reader()), headless=headless))


def _claude(setup: Setup) -> ClaudeCode:
    driver = ClaudeCode(setup)
    driver.install()
    return driver


def _killed(driver: Driver, work: Work, *, name: str = "running") -> Session:
    """A session that is killed while a command runs, its last words said."""
    marker = driver.setup.machine.home / name
    return driver.play(Play((work.prompt,), Script(*work.killed(marker)), until=marker.exists))


def _read(driver: Driver, prompt: str = GO_ON) -> Session:
    return driver.play(Play((prompt,), Script(*reader())))


def killed_mid_edit(world: World) -> Outcome:
    """SIGKILL the moment the second file is written: its hook may not have run."""
    setup = world.setup("mid-edit")
    driver = _claude(setup)
    written = setup.checkout / "tests" / "test_tariffs.py"
    early = Reply(f"{TARIFFS.last}\nNow the test.", TARIFFS.steps[2].calls)
    script = Script(*TARIFFS.steps[:2], early, Reply("", TARIFFS.killed(setup.machine.home / "late")[-1].calls))
    before = driver.play(Play((TARIFFS.prompt,), script, until=written.exists))
    return Outcome("killed mid-edit", TARIFFS.facts, (before,), _read(driver))


def killed_after_failing_test(world: World) -> Outcome:
    driver = _claude(world.setup("failing-test"))
    before = _killed(driver, FAILING)
    return Outcome("killed after a failing test", FAILING.facts, (before,), _read(driver))


def two_killed(world: World) -> Outcome:
    """Two agents at work in one checkout, killed together."""
    setup = world.setup("two-killed")
    first, second = _claude(setup), ClaudeCode(setup)
    one, other = setup.machine.home / "one", setup.machine.home / "other"
    sessions: list[Session] = []

    def both_run() -> bool:  # each has said its last words
        return one.exists() and other.exists()

    def begin() -> None:
        sessions.append(first.play(Play((TARIFFS.prompt,), Script(*TARIFFS.killed(one)), until=both_run)))

    thread = threading.Thread(target=begin)
    thread.start()
    sessions.append(second.play(Play((INVOICES.prompt,), Script(*INVOICES.killed(other)), until=both_run)))
    thread.join()
    facts = tuple(dict.fromkeys([*TARIFFS.facts, *INVOICES.facts]))
    return Outcome("two killed in one checkout", facts, tuple(sessions), _read(first))


def trivial_between(world: World) -> Outcome:
    """A colleague's agent answers one question on the same repository before the first user comes back."""
    driver = _claude(world.setup("trivial"))
    before = _killed(driver, TARIFFS)
    colleague = _claude(world.setup("trivial", "bob"))
    between = colleague.play(Play((works.TRIVIAL_PROMPT,), Script(Reply(works.TRIVIAL_ANSWER))))
    after = _read(driver)
    return Outcome("a trivial session between", TARIFFS.facts, (before, between), after, ("port 8712",))


def _two_turns(driver: Driver, work: Work) -> Session:
    """A turn that ends with the last words; in the next the agent is killed."""
    marker = driver.setup.machine.home / "second-turn"
    steps = (*work.ended(), *Work("", (), "Going on.", ()).killed(marker))
    return driver.play(Play((work.prompt, "Go on"), Script(*steps), headless=False, until=marker.exists))


def another_machine(world: World) -> Outcome:
    """The laptop dies in the second turn; its user goes on at the desktop, in another clone."""
    before = _two_turns(_claude(world.setup("machine", machine="laptop")), TARIFFS)
    after = _read(_claude(world.setup("machine", machine="desktop")))
    return Outcome("another machine", TARIFFS.facts, (before,), after)


def another_user(world: World) -> Outcome:
    """A colleague starts on another branch: the agent's words and files are the team's, the person's prompt is not."""
    before = _two_turns(_claude(world.setup("colleague", branch="grams")), TARIFFS)
    after = _read(_claude(world.setup("colleague", "bob")))
    return Outcome("another user, another branch", TARIFFS.facts, (before,), after, (TARIFFS.private,))


def headless(world: World) -> Outcome:
    """`-p`, to its own end, the last command a test that fails."""
    driver = _claude(world.setup("headless"))
    before = driver.play(Play((FAILING.prompt,), Script(*FAILING.ended())))
    return Outcome("-p", FAILING.facts, (before,), _read(driver))


def resumed(world: World) -> Outcome:
    """The same conversation goes on after a kill (`--continue`)."""
    driver = _claude(world.setup("resumed"))
    before = _killed(driver, TARIFFS)
    after = driver.play(Play((GO_ON,), Script(*reader()), resumes=True))
    return Outcome("resumed", TARIFFS.facts, (before,), after)


def compacted(world: World) -> Outcome:
    """The conversation is compacted to a summary that says nothing; then the person goes on."""
    driver = _claude(world.setup("compacted"))
    script = Script(*TARIFFS.ended(), *reader())
    whole = driver.play(Play((TARIFFS.prompt, "/compact", GO_ON), script, headless=False))
    # Between the work and what the person says next: the question at the Stop, and the request for the summary.
    turns = len(TARIFFS.ended())
    later = next((at for at, asked in enumerate(whole.asked) if at >= turns and GO_ON in asked.context), turns)
    before = _part(whole, whole.asked[:turns])
    return Outcome("compacted", TARIFFS.facts, (before,), _part(whole, whole.asked[later:]))


def _part(session: Session, asked: Iterable[Asked]) -> Session:
    return Session(tuple(asked), (), session.hooks, "", session.killed, session.seconds, said=session.said)


def server_away(world: World) -> Outcome:
    """The server is out of reach from the first prompt to the kill, and back for the next start."""
    gate = Gate(world.url)
    driver = _claude(world.setup("away", url=gate.url))
    gate.shut()
    before = _killed(driver, FAILING)
    gate.open()
    return Outcome("server away", FAILING.facts, (before,), _read(driver))


def mcp_only(world: World) -> Outcome:
    """No hooks: the agent starts a session, leaves a checkpoint and is killed; the next one starts a session."""
    driver = OpenCode(world.setup("mcp-only"))
    repo = world.repo("mcp-only")
    driver.prepare(driver.setup)
    driver.connect_by_hand(driver.setup.machine)
    begin = Ask("start_session", {"repo": repo, "branch": "main", "agent": "opencode"})
    pending = [fact.words for fact in TARIFFS.facts if fact.kind == "next step"]
    note = "The importer counts grams now. We decided to keep net weights in whole grams."
    files = [fact.words for fact in TARIFFS.facts if fact.kind == "file"]
    said = {"handoff_note": note, "last_message": note, "summary": f"Changed {', '.join(files)}."}
    said |= {"pending": pending, "next_steps": pending, "files": files, "decisions": [note], "uncommitted": files}

    def leave(asked: Asked) -> Reply:
        tool = next((name for name in asked.ours if "checkpoint" in name), "end_session")
        return Reply("", (Ask(tool, {"session": session_in(asked.context), **said}),))

    marker = driver.setup.machine.home / "running"
    steps: tuple[Step, ...] = (Reply("", (begin,)), *TARIFFS.steps, leave, *TARIFFS.killed(marker)[-1:])
    before = driver.play(Play((TARIFFS.prompt,), Script(*steps), until=marker.exists))
    after = driver.play(Play((GO_ON,), Script(Reply("", (begin,)), *reader())))
    return Outcome("MCP only", TARIFFS.facts, (before,), after)


def codex(world: World) -> Outcome:
    driver = Codex(world.setup("codex"))
    driver.install()
    before = _killed(driver, FAILING)
    return Outcome("Codex", FAILING.facts, (before,), _read(driver))


STORIES: dict[str, Callable[[World], Outcome]] = {
    story.__name__: story
    for story in (
        killed_mid_edit, killed_after_failing_test, two_killed, trivial_between, another_machine, another_user,
        headless, resumed, compacted, server_away, mcp_only, codex,
    )
}  # fmt: skip
