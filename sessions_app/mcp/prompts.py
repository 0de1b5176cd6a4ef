"""MCP prompts, which a person can call by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import mcp_types as mcp

from accounts.rules.fence import inert_line

# An argument is a name. It is part of a message that speaks as the user.
LONGEST_ARGUMENT = 200


@dataclass(frozen=True)
class McpPrompt:
    """`takes`: each argument and its meaning; none is required. `text`: builds the message from the arguments."""

    name: str
    title: str
    about: str
    takes: Mapping[str, str]
    text: Callable[[Mapping[str, str]], str]

    def described(self) -> mcp.Prompt:
        arguments = [
            mcp.PromptArgument(name=name, description=said, required=False) for name, said in self.takes.items()
        ]
        return mcp.Prompt(name=self.name, title=self.title, description=self.about, arguments=arguments)

    def message(self, given: Mapping[str, str]) -> mcp.GetPromptResult:
        said = {name: inert_line(value, LONGEST_ARGUMENT) for name, value in given.items()}
        content = mcp.TextContent(type="text", text=self.text(said))
        return mcp.GetPromptResult(description=self.about, messages=[mcp.PromptMessage(role="user", content=content)])


def _handoff(given: Mapping[str, str]) -> str:
    named = given.get("session")
    which = f"the Loam session {named}" if named else "our Loam session (you were told its id when it began)"
    return (
        f"Hand over {which} to the next agent, who will know nothing of our conversation.\n\n"
        "1. Deposit with deposit_insight what we learned and have not saved yet, one lesson each, with the questions "
        "it answers; decisions as DECISION with their reason.\n"
        "2. Rate with rate_insight the insights you used and have not rated.\n"
        "3. Call checkpoint_session with end=true, a summary of what was done and where it stands, a handoff_note with "
        "the one thing to know first, the next steps in `pending` and what stands in the way in `blockers`. Name files "
        "and commands. Say only what happened; what you merely believe, mark as such.\n"
        "4. Tell me in two sentences what the next session will be told."
    )


def _seed(given: Mapping[str, str]) -> str:
    repo = given.get("repo") or "this repository (owner/name of its origin)"
    team = f" of the team {given['team']}" if given.get("team") else ""
    return (
        f"Give Loam a first knowledge of {repo}{team}, so that agents who come after you do not start from zero.\n\n"
        "Read the manifests, README, CLAUDE.md or AGENTS.md, .env.example (names only, never values), CI "
        "configuration, migrations and the last commits. Then deposit 10 to 20 insights with deposit_insight:\n"
        "- kinds CONTEXT, DEPENDENCY and PITFALL only; 2 to 4 sentences, at most 500 characters each, one thing each;\n"
        "- what one cannot see by opening one file: how the parts hang together, how to run, test and release, which "
        "versions matter and why, what is easily broken;\n"
        "- `questions`: two that a newcomer would ask and that it answers;\n"
        "- the tag `seeded`, the files it is about, and idempotency_key `seed:<repo>:<topic>`, so that seeding again "
        "changes nothing.\n"
        "If there are SKILL.md files and you have the tool create_skill, offer each with it. At the end list what you "
        "deposited."
    )


PROMPTS: tuple[McpPrompt, ...] = (
    McpPrompt(
        name="session_handoff",
        title="Hand over this session",
        about="Save what was learned, rate what was used, end the session with a note for the next one.",
        takes={"session": "The Loam session; left out, the one of this conversation."},
        text=_handoff,
    ),
    McpPrompt(
        name="seed_repository",
        title="Seed a repository",
        about="Give the team's memory its first 10 to 20 insights about a repository.",
        takes={"repo": "owner/name", "team": "The team they go to."},
        text=_seed,
    ),
)
