"""What runs before the rest of the file is executed: hooks whose agent waits for nothing.

Such a hook writes its input to a file, starts the courier and ends: some 30 ms as a whole process, most of it Python's
own start. The courier is a process of its own session that turns the files into requests, so a client that kills its
hooks, or ends before them, loses nothing. Nothing is imported here that Python has not loaded already, `fcntl` apart.
"""

from __future__ import annotations

import os
import sys
import time
import zlib

try:
    import fcntl
except ImportError:  # Windows: two couriers at once are told apart by the keys of what they send
    fcntl = None  # type: ignore[assignment]

# Events that are only recorded; the others are answered (see `hooks`). By line: of Claude Code and Codex, of Gemini
# CLI, of Cursor, and of Copilot CLI beside Cursor's.
RECORDED = frozenset((
    "PostToolUse", "PostToolUseFailure", "PreCompact", "Stop", "StopFailure", "Interrupt", "SessionEnd",
    "AfterTool", "AfterAgent", "PreCompress",
    "afterFileEdit", "afterShellExecution", "postToolUse", "postToolUseFailure", "preCompact", "stop", "sessionEnd",
    "agentStop", "errorOccurred",
))  # fmt: skip
# Those after which text may be given to the model of a client that reads it there.
TELLING = frozenset(("PostToolUse", "PostToolUseFailure"))
# Those before a tool runs. Clients keep the model's last words in memory for a moment (Claude Code for 100 ms), so that
# an agent that is killed while its tool runs leaves no trace of them. The tool waits until they are on disk, as
# long as fits into 50 ms with the start of Python.
BEFORE_TOOLS = frozenset(("PreToolUse", "preToolUse"))
WRITING_TAKES, BETWEEN_LOOKS, CALL_IS_WITHIN = 0.03, 0.003, 65_536
MILLISECONDS = 13  # digits of a time
LARGEST_INPUT = 4_000_000


# Where each agent's hooks stand: of one's own settings the folder (as a variable names it, else below the home folder)
# and the file in it; then the file in a project.
HOOK_FILES = {
    "claude-code": ("CLAUDE_CONFIG_DIR", ".claude", "settings.json", ".claude/settings.json"),
    "codex": ("CODEX_HOME", ".codex", "hooks.json", ".codex/hooks.json"),
    "gemini": ("", ".gemini", "settings.json", ".gemini/settings.json"),
    "copilot": ("COPILOT_HOME", ".copilot", "hooks/loam.json", ".github/hooks/loam.json"),
    "cursor": ("", ".cursor", "hooks.json", ".cursor/hooks.json"),
    "opencode": ("XDG_CONFIG_HOME", ".config", "opencode/plugins/loam.js", ".opencode/plugins/loam.js"),
}
# What a project's launcher says of itself: its path, two folders below the project's.
LAUNCHED = "LOAM_LAUNCHER"


def own_folder() -> str:
    """Return the folder of everything the client keeps on this machine."""
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.environ.get("LOAM_HOME") or os.path.join(config, "loam")


def identity() -> str:
    """Return a name for the account that the environment gives, so that each account has a courier of its own."""
    named = [os.environ.get(name, "") for name in ("LOAM_URL", "LOAM_TOKEN")]
    return f"{zlib.crc32(' '.join(named).encode()):08x}" if any(named) else "0"


def moments_folder() -> str:
    return os.path.join(own_folder(), "moments")


def courier_lock() -> str:
    return os.path.join(own_folder(), f".courier-{identity()}.lock")


def write_moment(event: str, agent: str, raw: bytes) -> str:
    """Write one hook's call to a file, whole or not at all; return its path. Its name is the time, in nanoseconds."""
    folder = moments_folder()
    os.makedirs(folder, mode=0o700, exist_ok=True)
    name = f"{time.time_ns():020d}-{os.getpid()}"
    draft, path = os.path.join(folder, f".{name}"), os.path.join(folder, f"{name}.moment")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        head = "\n".join((event, agent, identity(), os.getcwd())).encode("utf-8", "surrogateescape") + b"\n\n"
        view = memoryview(head + raw)
        while view:
            view = view[os.write(handle, view) :]
    finally:
        os.close(handle)
    os.replace(draft, path)
    return path


def start_courier() -> None:
    """Start the process that delivers, unless one is at work; it outlives this one and its terminal."""
    if _courier_works():
        return
    folder = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.exists(os.path.join(folder, "__main__.py"))
    words = [sys.executable, "-I", "-S", folder if installed else os.path.abspath(__file__), "courier"]
    if not hasattr(os, "fork"):
        os.spawnv(getattr(os, "P_DETACH", 1), sys.executable, words)
        return
    sys.stdout.flush()
    if os.fork():
        return
    try:
        os.setsid()
        if os.fork():  # a client that ends its hook's processes does not find this one
            os._exit(0)
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):  # else the client waits until this process closes them
            os.dup2(null, number)
        os.chdir("/")
        os.execv(words[0], words)
    finally:
        os._exit(1)


def _courier_works() -> bool:
    """Whether one holds the lock. It looks once more after it has let go, so it sees what was written before this."""
    if fcntl is None:
        return False
    try:
        handle = os.open(courier_lock(), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
    finally:
        os.close(handle)


def notice_place(of: str) -> str:
    """Return where text waits for the model of an agent's session until a hook can give it."""
    name = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in of)[-160:]
    return os.path.join(own_folder(), "notices", name)


def take_notice(of: str) -> bytes:
    """Return the waiting text, as a JSON string, and delete it; empty if there is none. Only one hook gets it."""
    place = notice_place(of)
    mine = f"{place}.{os.getpid()}"
    try:
        os.rename(place, mine)
        with open(mine, "rb") as file:
            text = file.read()
        os.unlink(mine)
    except OSError:
        return b""
    return text


def _field(raw: bytes, name: bytes) -> bytes:
    """Return a text from a hook's input, without reading it as JSON; empty if it is not there."""
    _, named, rest = raw.partition(b'"%s"' % name)
    return rest.split(b'"', 2)[1] if named and rest.count(b'"') > 1 else b""


def ask_place(of: str) -> str:
    """Return the marker of a session whose agent may be asked something at its Stop (see `asking`)."""
    return os.path.join(own_folder(), "asks", os.path.basename(notice_place(of)))


# The input of a Stop at which the server is asked whether the agent is to be asked.
HELD: list[bytes] = []


def _hold_back(event: str, agent: str, raw: bytes) -> None:
    """Keep the input for the rest of the client, if the agent may be asked something."""
    if event == "Stop" and agent == "claude-code" and os.path.exists(ask_place(f"{agent}:{_session_in(raw)}")):
        HELD.append(raw)


def _session_in(raw: bytes) -> str:
    """Return the client's session id from a hook's input."""
    return _field(raw, b"session_id").decode("utf-8", "replace")


def hook_file(agent: str, project: str = "") -> str:
    """Return the path of the file with an agent's hooks: in one's own settings, or in the `project` folder."""
    variable, folder, file, shared = HOOK_FILES[agent]
    if project:
        return os.path.join(project, *shared.split("/"))
    own = os.environ.get(variable) if variable else ""
    return os.path.join(own or os.path.join(os.path.expanduser("~"), folder), *file.split("/"))


def has_hooks(agent: str, path: str) -> bool:
    """Return whether our hooks for an agent are in a file."""
    words = b'"--agent", "opencode"' if agent == "opencode" else b"--agent " + agent.encode()
    text = _content(path)
    return b"loam" in text and words in text


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(LARGEST_INPUT)
    except OSError:
        return b""


def trusted_by_codex(hooks: str) -> bool:
    """Return whether Codex's settings hold a trusted hash of a file's hooks: `[hooks.state."<path>:…"]`."""
    text = _content(os.path.join(os.path.dirname(hook_file("codex")), "config.toml"))
    return b"trusted_hash" in text and os.fsencode(hooks) in text


def stands_back(agent: str, raw: bytes) -> bool:
    """Return whether another of our hooks answers this call, because the client reads two files that have them.

    One's own settings come before a project's: they run where the project is not trusted, too. A client that runs the
    hooks of Claude Code beside its own ones is answered by its own.
    """
    launcher, caller = os.environ.get(LAUNCHED, ""), _caller(agent, raw)
    if caller not in HOOK_FILES:
        return False
    if launcher:
        top = os.path.dirname(os.path.dirname(os.path.abspath(launcher)))
    else:
        top = os.fsdecode(_field(raw, b"cwd")) or os.getcwd()
    own, shared = hook_file(caller), hook_file(caller, top)
    if caller != agent:
        return has_hooks(caller, own) or has_hooks(caller, shared)
    if not launcher or not has_hooks(agent, own):
        return False
    # Of two that are not trusted Codex runs both, if it was told to ask nobody.
    return agent != "codex" or trusted_by_codex(own) or not trusted_by_codex(shared)


def _caller(agent: str, raw: bytes) -> str:
    """Return the client that calls: what it says first of itself is not what Claude Code says."""
    head = raw.lstrip()[1:].partition(b"{")[0].partition(b"[")[0]
    if agent == "claude-code" and (b'"conversation_id"' in head or b'"cursor_version"' in head):
        return "cursor"
    return "copilot" if agent == "claude-code" and b'"timestamp"' in head else agent


def _read_input() -> bytes:
    parts, size = [], 0
    while size < LARGEST_INPUT:
        part = os.read(0, 65_536)
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _connected() -> bool:
    if os.environ.get("LOAM_OFF"):
        return False
    named = os.environ.get("LOAM_URL") and os.environ.get("LOAM_TOKEN")
    return bool(named) or os.path.exists(os.path.join(own_folder(), "credentials.json"))


def await_transcript(agent: str) -> bytes:
    """Wait until the transcript has the call of the tool that is about to run; return what the client is answered."""
    try:
        raw = _read_input()
        path, call = ("", b"") if stands_back(agent, raw) else _awaited(agent, raw)
        ends = time.monotonic() + float(os.environ.get("LOAM_HOOK_SECONDS") or WRITING_TAKES)
        size = -1
        while call and _connected() and time.monotonic() < ends:
            with open(path, "rb") as file:
                grown = file.seek(0, os.SEEK_END)
                if grown != size:
                    size = grown
                    file.seek(max(0, size - CALL_IS_WITHIN))
                    if call in file.read():
                        break
            time.sleep(BETWEEN_LOOKS)
    except (OSError, ValueError):
        pass  # there is no transcript to wait for
    return b"{}"


def _awaited(agent: str, raw: bytes) -> tuple[str, bytes]:
    """Return the path of the transcript, and what stands in it once the call is written; empty where it is unknown."""
    if agent == "copilot":  # it writes down that it called this hook, with the time that it tells it
        base = os.environ.get("COPILOT_HOME") or os.path.join(os.path.expanduser("~"), ".copilot")
        moment = raw.partition(b'"timestamp":')[2].lstrip()[:MILLISECONDS]
        return os.path.join(base, "session-state", os.fsdecode(_field(raw, b"sessionId")), "events.jsonl"), moment
    return os.fsdecode(_field(raw, b"transcript_path")), _field(raw, b"tool_use_id")


def record(event: str, agent: str) -> bytes:
    """Write the call down, start the courier, and return what the client is answered. Never raises."""
    answer = b"{}"
    try:
        raw = _read_input()
        if raw.strip() and _connected() and not stands_back(agent, raw):
            write_moment(event, agent, raw)
            text = take_notice(f"{agent}:{_session_in(raw)}") if event in TELLING else b""
            if text:
                head = b'{"hookSpecificOutput": {"hookEventName": "%s", "additionalContext": %s}}'
                answer = head % (event.encode(), text)
            _hold_back(event, agent, raw)
            start_courier()
    except Exception as error:
        # Whatever it is, the agent works on; `loam status` shows it.
        try:
            with open(os.path.join(own_folder(), "last-hook-error.txt"), "w", encoding="utf-8") as file:
                file.write(f"{event}: {type(error).__name__}: {error}\n")
        except OSError:
            pass
    return answer


def entry(words: list[str]) -> None:
    """End the process if the words are a hook's that is not answered by the server; else return."""
    known = len(words) > 1 and words[0] == "hook" and words[1] in RECORDED | BEFORE_TOOLS
    if known and not {"-h", "--help"} & set(words):
        agent = words[3] if words[2:3] == ["--agent"] and words[3:] else "claude-code"
        answer = record(words[1], agent) if words[1] in RECORDED else await_transcript(agent)
        if HELD:
            return
        sys.stdout.write(answer.decode() + "\n")
        raise SystemExit(0)


if __name__ in ("__main__", "loam"):
    entry(sys.argv[1:])
