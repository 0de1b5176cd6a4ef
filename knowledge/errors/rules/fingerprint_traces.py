"""Stack traces and compiler output, reduced to what names the fault.

Each reader knows the layout of one family of languages and answers with a `TracedFault`, or None when the text is
not of its kind. What it keeps is the chain of errors (type and message, outermost first) and one place: the
frame nearest the failure that is the project's own, or the nearest at all if none is. A place is a function
and a base name; the rest of the stack says how one got there, which differs between callers and versions of
libraries.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Frame:
    """One call of a stack: `file` is a path or a base name, `library` whether the code is somebody else's."""

    function: str
    file: str = ""
    library: bool = False


@dataclass(frozen=True)
class TracedFault:
    """`errors`: one line each, outermost first; `place`: the frame that stands for the stack, if there is one."""

    errors: tuple[str, ...]
    place: Frame | None = None


# The words by which a line of unknown layout shows that it speaks of an error.
SPEAKS_OF_ERROR = re.compile(
    r"(?i:error|exception|fatal|panic|fail|denied|refused|cannot|can't|could not|unable|not found|no such"
    r"|undefined|unexpected|invalid|time(?:d )?out|abort|fault|killed|ERR!|unresolved|missing|unknown|illegal"
    r"|unsupported|conflict|deadlock|out of memory|assert|violat|forbidden|unauthorized|expect\(|overflow|exceed"
    r"|expired)"
)

# A line that is an error by its name, with its message if there is one.
ERROR_NAME = (
    r"(?:[A-Za-z_$][\w$]{0,80}(?:\.|::)){0,10}[A-Za-z_$]\w{0,80}(?:Error|Exception|Throwable|Failure|Fault|Panic)"
)
NAMED_ERROR = re.compile(
    rf"(?:Caused by: |Uncaught |Unhandled |\[cause\]: )*{ERROR_NAME}(?: \[\w{{1,60}}\])?(?::(?:\s.*)?)?$"
)

# Wrappers of wrappers say nothing new: the outermost error and the two nearest the root are kept.
CHAIN = 3
_LIBRARY_PATH = re.compile(
    r"site-packages|dist-packages|[/\\]lib[/\\]python\d|^<frozen |node_modules|^node:|^internal/"
    r"|[/\\](?:gems|ruby|rustc|\.cargo)[/\\]|[/\\]go[/\\]pkg[/\\]mod|[/\\]usr[/\\](?:local[/\\])?(?:lib|go)[/\\]"
)


def _fault(errors: Sequence[str], frames: Sequence[Frame]) -> TracedFault | None:
    """A fault of these errors (outermost first), placed at the first own frame (nearest the failure first)."""
    said = list(dict.fromkeys(e.strip() for e in errors if e.strip()))
    if not said:
        return None
    kept = said if len(said) <= CHAIN else [said[0], *said[-(CHAIN - 1) :]]
    return TracedFault(tuple(kept), next((f for f in frames if not f.library), frames[0] if frames else None))


# --- Python: newest error last, newest frame last --------------------------------------------------
_PY_START = re.compile(r"[\s|+]{0,20}(?:Exception Group )?Traceback \(most recent call last\):")
_PY_FRAME = re.compile(r'[\s|]{0,20}File "([^"]{1,1000})", line \d{1,9}(?:, in (.{1,200}))?')
_PY_ERROR = re.compile(r"([^\W\d][\w.]{0,200}(?::(?:\s.*)?)?)$")
# The bars that draw a group of exceptions as a tree.
_PY_TREE = re.compile(r"\s{0,40}[|+] ")
# A message that says nothing yet: the next line does.
_PY_CONTINUES = re.compile(r"validation errors? for \S{1,100}$|:$")


def python(lines: Sequence[str]) -> TracedFault | None:
    """`Traceback (most recent call last)` and what it is chained to, also without its first line."""
    errors: list[str] = []
    blocks: list[list[Frame]] = []
    inside = continues = False
    for line in (_PY_TREE.sub("", line) for line in lines):
        if continues:
            errors[-1] += " " + line.strip()
            continues = False
            continue
        frame = _PY_FRAME.match(line)
        if not inside and (frame or _PY_START.match(line)):
            inside = True
            blocks.append([])
        if frame:
            path, function = frame.groups()
            blocks[-1].append(Frame(function or "", path, bool(_LIBRARY_PATH.search(path))))
        elif inside and (error := _PY_ERROR.match(line)) and not _PY_START.match(line):
            errors.append(error.group(1))
            inside, continues = False, bool(_PY_CONTINUES.search(line))
    frames = [frame for block in reversed(blocks) for frame in reversed(block)]
    return _fault(errors[::-1], frames)


_PYTEST_ERROR = re.compile(r"E {3,}(\S.*)$")
_PYTEST_PLACE = re.compile(r"(\S{1,300}\.py):\d+: \w+$")


def pytest(lines: Sequence[str]) -> TracedFault | None:
    """The `E   ` lines of a failure report and the `test_x.py:41: KeyError` below them."""
    errors = [m.group(1) for line in lines if (m := _PYTEST_ERROR.match(line))]
    places = [m.group(1) for line in lines if (m := _PYTEST_PLACE.match(line))]
    return _fault(errors[:1], [Frame("", places[0])] if places else [])


# --- JavaScript, Java and .NET: `at` lines under each error ----------------------------------------
_AT = re.compile(r"\s*at (?:async |new )*(\S.{0,1000})$")
_AT_FORMS = (
    # TypeScript and JavaScript: handler (file:///app/src/a.ts:4:2) · /app/src/a.js:4:2
    re.compile(r"(?P<function>[^()]{1,300}?)(?: \[as [\w$.]+\])? \((?P<file>.{1,600}?):\d+:\d+\)"),
    re.compile(r"(?P<function>)(?P<file>[^()\s]{1,600}?):\d+:\d+"),
    # Java: java.base/java.util.Map.get(Map.java:12) ~[app.jar:1.0]
    re.compile(
        r"(?:[\w.@-]{1,100}/){0,2}(?P<function>[\w.$<>/]{1,300})"
        r"\((?:(?P<file>[\w$-]{1,200}\.\w{1,6})(?::\d+)?|Native Method|Unknown Source)\)"
    ),
    # .NET: App.Orders.Load(String id) in C:\app\Orders.cs:line 12
    re.compile(r"(?P<function>[\w.`<>$+\[\],]{1,300})\([^)]{0,300}\)(?: in (?P<file>.{1,600}?):line \d+)?$"),
)
_BROWSER_FRAME = re.compile(r"\s*(?P<function>[\w$.<>/*]{0,200})@(?P<file>\w+://\S{1,600}?):\d+:\d+$")
_LIBRARY_NAME = re.compile(
    r"(?:javax?|jdk|sun|com\.sun|kotlinx?|scala|groovy|org\.(?:springframework|apache|hibernate|junit|eclipse|jetbrains)"
    r"|io\.(?:netty|undertow|micrometer)|com\.(?:fasterxml|zaxxer|google\.common)|reactor|System|Microsoft)\."
)
_LINK = re.compile(r"\s*(?:Caused by: |\[cause\]: |---> )")
_NAMED_ERROR = re.compile(
    r"""\s*(?:Caused\ by:\ |\[cause\]:\ |--->\ |Uncaught\ |Unhandled\ |exception\.\ |Exception:\ |\(in\ promise\)\ |
    Exception\ in\ thread\ "[^"]{0,200}"\ |Error:\ (?=\w+Error:))*
    (?P<error>[\w.$]{0,200}(?:Error|Exception|Throwable|Failure|Fault|Rejection|Timeout|Overflow)\w{0,60}
    (?:\ \[\w{1,60}\])?(?::.*)?)$""",
    re.VERBOSE,
)
# A message may run over several lines before the first frame; further up is somebody else's text.
_MESSAGE_LINES = 12


def at_frames(lines: Sequence[str]) -> TracedFault | None:
    """JavaScript, TypeScript, Java, Kotlin, Scala and .NET: runs of `at …` lines, each under its error."""
    errors: list[str] = []
    blocks: list[list[Frame]] = []
    gap: list[str] = []
    for line in lines:
        frame = _at_frame(line)
        if frame is None:
            gap.append(line)
            continue
        if gap or not blocks:
            found = _errors_above(gap, first=not blocks)
            if blocks and not found and not _same_stack(gap):
                break
            errors += found
            blocks.append([])
            gap = []
        blocks[-1].append(frame)
    return _fault(errors, [f for block in reversed(blocks) for f in block]) if blocks else None


def _same_stack(gap: Sequence[str]) -> bool:
    return all(not g.strip() or g.lstrip().startswith(("...", "--- End")) for g in gap)


def _errors_above(gap: Sequence[str], *, first: bool) -> list[str]:
    """The errors the text above a run of frames names; below an earlier run only those linked to it."""
    near = [line for line in gap if line.strip()][-_MESSAGE_LINES:]
    named = [(i, m.group("error")) for i, line in enumerate(near) if (m := _NAMED_ERROR.match(line))]
    linked = [error for i, error in named if _LINK.match(near[i])]
    if not first:
        return linked
    heads = [error for i, error in named if not _LINK.match(near[i])]
    if named:
        return [*heads[-1:], *linked]
    return [next((line for line in near if SPEAKS_OF_ERROR.search(line)), near[-1])] if near else []


def _at_frame(line: str) -> Frame | None:
    browser = _BROWSER_FRAME.match(line)
    if browser:
        return Frame(browser["function"].strip("/<*"), browser["file"], bool(_LIBRARY_PATH.search(browser["file"])))
    at = _AT.match(line)
    found = next((m for form in _AT_FORMS if (m := form.match(at.group(1)))), None) if at else None
    if at is None or (found is None and "<anonymous>" not in line and "native" not in line.lower()):
        return None
    if found is None:
        return Frame("<anonymous>", library=True)
    function, file = found["function"], found["file"] or ""
    library = bool(_LIBRARY_PATH.search(file) or _LIBRARY_NAME.match(function) or file == "<anonymous>")
    return Frame(".".join(function.split(".")[-2:]), file, library)


# --- Go --------------------------------------------------------------------------------------------
_GO_PANIC = re.compile(r"\s*(?:panic|fatal error): .+")
_GO_CALL = re.compile(
    r"(?:created by )?([\w./~-]{1,200}\.[\w.()*\[\]]{1,200}?)\((?:0x|\.\.\.|\{|\)|[\w\"?, ]{0,200}\)).*$"
)
_GO_FILE = re.compile(r"\s+(\S.{0,600}\.(?:go|s)):\d+")
_GO_RUNTIME = re.compile(r"(?:runtime|testing|reflect|internal|sync|panic|net/http|syscall|os|io|fmt)[./(]")


def go(lines: Sequence[str]) -> TracedFault | None:
    """`panic: …` or `fatal error: …` and the first goroutine's calls, each above its file."""
    start = next((i for i, line in enumerate(lines) if _GO_PANIC.match(line)), None)
    if start is None or not any(line.startswith("goroutine ") for line in lines[start:]):
        return None
    frames: list[Frame] = []
    for above, line in zip(lines[start:], lines[start + 1 :], strict=False):
        file, call = _GO_FILE.match(line), _GO_CALL.match(above)
        if file and call:
            library = bool(_GO_RUNTIME.match(call.group(1)) or _LIBRARY_PATH.search(file.group(1)))
            frames.append(Frame(call.group(1).rsplit("/", 1)[-1], file.group(1), library))
        elif frames and not above.strip():
            break
    return _fault([re.sub(r" \[recovered.{0,40}\]$", "", lines[start].strip())], frames)


# --- Rust ------------------------------------------------------------------------------------------
_RUST_OLD = re.compile(r".*\bpanicked at '(.*)', (\S{1,600}?):\d+(?::\d+)?$")
_RUST_NEW = re.compile(r".*\bpanicked at (\S{1,600}?):\d+(?::\d+)?:$")
_RUSTC = re.compile(r"error(?:\[E\d{4}\])?: .+")
_RUSTC_PLACE = re.compile(r"\s{0,8}--> (\S{1,600}?):\d+:\d+")


def rust(lines: Sequence[str]) -> TracedFault | None:
    """A panic of either layout, without its backtrace (an environment variable switches it), or rustc's error."""
    for i, line in enumerate(lines):
        if old := _RUST_OLD.match(line):
            # a message of several lines ends on this one
            return _fault([f"panicked: {old.group(1)}"], [Frame("", old.group(2))])
        if new := _RUST_NEW.match(line):
            message = next((below for below in lines[i + 1 :] if below.strip()), "")
            return _fault([f"panicked: {message}"], [Frame("", new.group(1))])
        place = _RUSTC_PLACE.match(line)
        if place and i and _RUSTC.match(lines[i - 1]):
            return _fault([lines[i - 1]], [Frame("", place.group(1))])
    return None


# --- Ruby ------------------------------------------------------------------------------------------
_RUBY_ERROR = re.compile(r"\s*(\S{1,600}?):\d+:in [`'](.{1,200}?)': (.*?) ?\(([A-Z][\w:]{2,100})\)$")
_RUBY_FRAME = re.compile(r"\s*(?:\d+: )?from (\S{1,600}?):\d+:in [`'](.{1,200}?)'")


def ruby(lines: Sequence[str]) -> TracedFault | None:
    """`app.rb:4:in 'call': message (NoMethodError)` and its `from` lines, without the classes of methods."""
    for i, line in enumerate(lines):
        if error := _RUBY_ERROR.match(line):
            path, function, message, kind = error.groups()
            calls = [(path, function)] + [m.groups() for below in lines[i + 1 :] if (m := _RUBY_FRAME.match(below))]
            frames = [
                Frame(re.split(r"[#.]|block (?:\([^)]{0,80}\) )?in ", f)[-1], p, bool(_LIBRARY_PATH.search(p)))
                for p, f in calls
            ]
            return _fault([f"{kind}: {message}"], frames)
    return None


# --- C, C++, PHP: numbered frames ------------------------------------------------------------------
_NUMBERED = re.compile(
    r"\s*#\d+:? +(?:0x[0-9a-fA-F]+ +)?(?:in )?(?:(?P<php>\S{1,600}\.php)\(\d+\): )?"
    r"(?P<function>[^\s(]{1,300})(?:\s?\(.{0,400}?\))?"
    r"(?:.{0,20}?(?: at | in |\s)(?P<file>[^\s:()]{1,600}\.\w{1,5})(?::\d+){0,2})?"
)
_NATIVE_ERROR = re.compile(
    r".*(?:ERROR: \w+Sanitizer: (?P<sanitizer>[\w-]+)|PHP (?P<php>Fatal error: .*?)(?: in \S+:\d+)?$"
    r"|(?P<signo>SIG[A-Z]{3,5}\b.*))"
)
_NATIVE_LIBRARY = re.compile(r"__|_start$|abort$|raise$|std::|gsignal$|\?\?|operator |malloc$|free$|mem|str|\{main\}")


def numbered_frames(lines: Sequence[str]) -> TracedFault | None:
    """Sanitizer reports, debugger backtraces and PHP: `#0 0x… in function file.c:12`."""
    start = next((i for i, line in enumerate(lines) if re.match(r"\s*#[01]:?\s", line)), None)
    if start is None:
        return None
    named = [m for line in lines[:start] if (m := _NATIVE_ERROR.match(line))]
    errors = [next(g for g in named[0].groups() if g)] if named else [x for x in lines[:start] if x.strip()][-1:]
    frames = []
    for line in lines[start:]:
        call = _NUMBERED.match(line)
        if not call:
            break
        function, file = call["function"], call["php"] or call["file"] or ""
        frames.append(Frame(function, file, bool(_NATIVE_LIBRARY.match(function) or _LIBRARY_PATH.search(file))))
    return _fault(errors, frames)


# --- compilers and linters -------------------------------------------------------------------------
_DIAGNOSTIC = re.compile(
    r"\s*(?:\S{1,600}?(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\))\s?[:-]\s|\S{1,200}: )?"
    r"(?:fatal |internal compiler |syntax |link )?error\b(?:\s?[A-Z]+\d+)?\s?:"
    r"|\S{0,600}: undefined reference to |Undefined symbols for |\./\S{1,600}\.go:\d+:\d+: "
)
# TypeScript writes `a.ts:4:2 - error` to a terminal and `a.ts(4,2): error` to a file.
_BEFORE_ERROR = re.compile(r" - error")


def compiler(lines: Sequence[str]) -> TracedFault | None:
    """The first error of a build: those after it are often its echo, in the order of a parallel build."""
    first = next((line for line in lines if _DIAGNOSTIC.match(line)), None)
    return _fault([_BEFORE_ERROR.sub(": error", first, count=1)], []) if first else None


Reader = Callable[[Sequence[str]], TracedFault | None]
# Most telling layout first; `at` lines last among stacks, for other languages' messages may hold one.
READERS: tuple[Reader, ...] = (python, pytest, go, rust, ruby, numbered_frames, at_frames, compiler)


def read_fault(lines: Sequence[str]) -> TracedFault | None:
    """The first reader's answer that knows this layout, or None."""
    return next((fault for reader in READERS if (fault := reader(lines))), None)
