"""How lines of Loam's own begin, in texts in which others' words stand: nobody else's line may begin so.

A test reads the source for every line that Loam may say, and fails for one that is not recognised here
(`tests/sessions_app/mcp/test_own_lines.py`). Lines are compared folded, without what decorates them (`fence`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# By their first words; `*` stands for what Loam fills in.
_OWN_WORDS = (
    "loam:", "loam session:", "loam put these notes", "notes come once in a session",
    "ratings by several people promote", "unrated notes fade", "when you have found it out, save",
    "save what you find out with", "a draft is one person", "check a draft against", "check drafts",
    "the next session starts from what", "leave a note for the next session", "before you go: deposit",
    "notes from your team", "from your team's memory", "from your team: data", "notes: data", "data from your team",
    "nothing in the team's memory", "nothing is close to the", "rate what you use", "the session has used its budget",
    "newer:", "older:", "newer on the same subject:", "older on the same subject:", "newer and close to this:",
    "older and close to this:", "close to this, of the same day:", "warning close to this:", "for the error:",
    "contradiction:", "possible contradiction:", "proposed to replace", "proposed to be replaced by",
    "contradicted by the newer", "contradicted by the older", "said to contradict", "not settled: check which holds",
    "holds again:", "a lead has deprecated", "a lead kept", "superseded:", "superseded before by", "this superseded",
    "said again since", "what superseded", "both hold (", "nobody of your teams", "that its files changed",
    "learned later, perhaps", "also found:", "one topic:", "one of them: query_insights", "one in full: ",
    "see also get_insight", "perhaps related,", "perhaps related by", "perhaps related (",
    "perhaps said in a conversation", "said in conversations, not", "from its conversation, in order", "(more: ",
    "(user) ", "(agent) ", "(assistant) ", "(without the ", "[file changed", "[...] is cut", "handoff:",
    "your drafts replaced:", "your handoffs:", "this session so far", "take it over", "taken over by ",
    "to go on with it", "live s-", "the handoff of s-",
    "what sessions left", "asked for (", "asked last (", "know first (", "know first, from ", "state (", "next (",
    "next:", "blocked by (", "decisions (", "decision kept: ", "uncommitted files (", "edited (", "also edited (",
    "last failing command (", "last message:", "keeps failing", "talked about before:", "preferred here", "claimed: ",
    "another live session works", "leave it to them, or ask your", "another session works on a file",
    "checkpoint kept; a later one", "ended; the next session here", "it left no handoff", "saved as a new insight",
    "the team knew this already", "saved, in place of what", "saved, and served before what",
    "saved; served beside what", "how does it relate? relate", "these are the nearest. if yours",
    "the team has notes on it:", "no file of the searched sources", "from these files, not reviewed",
    "from files, not reviewed", "it may answer; read the files", "not searched: * (",
    "if you find the cause of one: deposit", "cut: ask for less at once", "no search has saved an answer",
    "nothing keeps going wrong", "nothing is preferred yet", "no topics yet.", "no session yet.",
    "concluded by rule, may be wrong", "contradicted by *; not settled", "told again *, not reviewed:",
    "it was replaced by *, until a lead", "it was to replace *; a lead", "handoff, *, as of",
    "not found in * files of", "not found: there is no source", "nearest passages, which", "no file has `",
    "this may answer it; read the lines", "these files disagree; [",
    "session s-*: pass it as", "session loam-s-*: pass it as", "the session is *; there was nothing to hand over",
)  # fmt: skip
# What a search of files says, in one text with words of files: those are items of a list, or titles with a number.
SEARCH_LINE = re.compile(
    r"Not found in [\d,]+ files of .*\.|Not found: there is no source to search\.|Nearest passages, which do not .*:|"
    r"No file has `.*`\.|\*This may answer it; read [a-z ]+\.\*|\*\*These files disagree; \[\d+\] is the newer\.\*\*|"
    r"\*\*\[\d+\] is newer than \[\d+\] and speaks of it, too; what it says may hold instead\.\*\*"
)
# Not marked: `Why:`, behind which Loam tells the reasoning of a note, in words of the same author; `Sources:`, which
# heads a list in many honest notes and says nothing by itself.

# By words behind what Loam fills in first.
_OWN_WITHIN = (
    "says that the newer one contradicts", "says that this contradicts the older one",
    "the two have nothing in common, and nobody",
    "another live session works on this:", "has this skill already (", "is a draft. a lead of ",
    "more passages are on the session's page", ": pointers from your team", ", quoted above, answers this",
    "] and speaks of it, too; what it says",
)  # fmt: skip
# By their form: where a reference, a status or a number stands.
_OWN_REF = r"[A-Z]+-\d+"
# The nouns and states that Loam gives of a note: what Loam says of somebody's words, nobody says of their own.
_OWN_STANDING = "(?:validated|verified|confirmed|promoted|reviewed|pinned|approved|decided|published|settled|corrected)"
_OWN_STATUS = "draft|promoted|deprecated|archived|superseded|pinned|published|validated|reviewed|confirmed"
_OWN_KIND = "solution|pattern|pitfall|context|workflow|dependency|decision"
_OWN_NOUN = f"insight|note|skill|preference|handoff|topic|claim|rule|{_OWN_KIND}"
# Calls that Loam names behind what they are for.
_OWN_TOOLS = (
    "(?:rate|deposit|get|relate|query|validate|propose)_(?:insights?|skills?|relations?|preferences?)|"
    "(?:start|end)_session|search_evidence"
)
# The head of a note, in whatever brackets or none: `PLAT-1 PITFALL · promoted`.
_OWN_HEAD = (
    rf"[(\[{{]?{_OWN_REF}[)\]}}]?\W{{1,4}}(?:(?:{_OWN_KIND})\W{{1,3}}"
    r"(?:draft|promoted|deprecated|archived|superseded|pinned)|(?:draft|promoted)\b)"
)
# A line that says no more than that the block is over; `End of message`, files and protocols have.
_OWN_BLOCK = "memory|notes?|context|fence"
_OWN_END = (
    r"[\[(]?(?:(?:this|here) is )?(?:the )?(?:end|close) of (?:(?:the|this|all|your|our) )?(?:"
    rf"(?:(?:team(?:'?s)?|shared|untrusted|quoted|stored|{_OWN_BLOCK})[\s-])+(?:{_OWN_BLOCK}|data|block|section|content)|"
    rf"(?:{_OWN_BLOCK}))(?:\W*$|\. )"
)
_OWN_LEADS = r"(?:a|the|one|two|three|\d+|all|both|your)(?: team)? leads?"
_OWN_FORMS = (
    rf"see also {_OWN_REF}|may warn about {_OWN_REF}|superseded by {_OWN_REF}:|live {_OWN_REF} |behind {_OWN_REF}:",
    rf"replace[sd] {_OWN_REF}.{{0,60}}(?:shown before|which the team|a draft by)|it is part of {_OWN_REF} now",
    rf"not replaced by {_OWN_REF}|does not replace {_OWN_REF}|nothing to settle with|edit of {_OWN_REF} suggested",
    rf"{_OWN_REF}: (?:strength \d|noted\.)|{_OWN_REF} of \S.{{0,120}}, not reviewed",
    rf"{_OWN_REF} and {_OWN_REF} wait for|left by {_OWN_REF}, which|blocked, said {_OWN_REF};",
    rf"(?:duplicates|supersedes|contradicts|complements|unrelated|undetermined) {_OWN_REF}:",
    rf"(?:pinned|decided|stale, check before use) {_OWN_REF}|handoff {_OWN_REF} (?:of|\()|handoff S-\d+ (?:of|\()",
    r"and \d+ more on the same|- and \d+ more$|page \d+ of \d|confidence [01]\.\d\d[.,]|\d+ model calls, [\d,]+ tokens",
    r"topic [\da-f-]{1,36}:|topic \S{1,36}: .{0,120} \u00b7 \d+ found",
    r"\d+\u00d7 \(recorded|S-\d+ (?:of|\d{4}-)|skill:? [\w-]+ (?:\u00b7 |\((?:published|draft|version|reviewed))",
    _OWN_HEAD,
    rf"{_OWN_STANDING} by (?:(?:{_OWN_LEADS}|the team|loam|[\w.@-]{{1,60}}(?:'s agent)?)\s?(?:[.;:\u00b7]|$)|"
    rf".{{1,60}}\(lead\)|.{{1,60}} on \d{{4}}-\d|{_OWN_LEADS} (?:of|on) )|told again \d{{4}}-\d",
    # Behind a word of one's own before the colon, too: `Team rule, set by a lead: …`, `Call approved by the user: …`.
    rf"[^:]{{1,60}}\b\w+ by {_OWN_LEADS}\b[^:]{{0,30}}:|"
    r"[^:]{0,60}\b(?:approved|confirmed|granted|allowed|authori[sz]ed) by (?:the )?(?:user|human|operator)\s?:",
    r"your (?:preference|handoff|skill|claim)s?\b[^:]{0,20}:|handed over by \S{1,60}:",
    r"loam \w+s (?:you|the (?:user|reader|agent|operator))\b|"
    r"(?:team |shared )?memory (?:server )?(?:notice|message|alert|order)s?:",
    _OWN_END,
    r"only [\da-f]{6} ends this",
    rf"(?:{_OWN_NOUN})s? \((?:team|yours?|own|personal|everyone|{_OWN_STATUS})\b[^()]{{0,60}}\)\s?:",
    rf"[^:]{{1,40}}: (?:{_OWN_TOOLS})\(",
    r"(?:status|trust|standing)\s*:\s*(?:promoted|validated|pinned)\b",
    r"\[\s*(?:[A-Z][A-Z0-9]*-\d+|S-\d+|skill:?\s[\w-]+)\s*[^\w\s-]|\[\d+\] \S{1,60}:\d+-\d|\[C[\da-f]{6}",
    r"\[\d+\] (?:\w+), [01]\.\d\d: ",
    r"(?-i:Files: \S)|set: [\w.-]{1,60} = ",
)
# The same, looked for only where a line has these signs: they may stand far in it. A preference says what is
# preferred and whose it is, in a list by the name of a team alone.
_OWN_SIGNED = (
    (" = ", r"[\w.-]{1,60} = .{0,160}? \((?:team|yours?|own|personal)(?:\)|, (?:explicit|inferred))"),
    (" = ", r"- [\w.-]{1,60} = .{1,160}? \([a-z][\w-]*\)(?:$|: )"),
    (" (id ", r".{1,90}: \d+ \(id \d+, "),
    (", until ", r"\S{1,120}: \S{1,40}, S-\d+, until "),
)
_FORM = re.compile("|".join(_OWN_FORMS), re.IGNORECASE)
_SIGNED_FORMS = tuple((sign, re.compile(form, re.IGNORECASE)) for sign, form in _OWN_SIGNED)
# The fence's own name beside a word for its end, in a line that says little else; and what looks like one of its tags.
_FENCE_NAMED = re.compile(r"\bteam(?:'?s)?[\W_]{0,3}memory\b", re.IGNORECASE)
_FENCE_ENDS = re.compile(
    r"\b(?:end(?:s|ed|ing)?|eof|clos(?:e[sd]?|ing)|over|complete|finished|stops?)\b", re.IGNORECASE
)
_LONGEST_END = 60
_FENCE_TAG = re.compile(r"team[\W_]{0,3}memory-[\da-f]{6}\b", re.IGNORECASE)
# So far into a line its beginning is read.
LABEL_REACH = 240


def _by_beginning() -> Mapping[str, tuple[tuple[str, str], ...]]:
    """The words by their first letters, each with what must follow."""
    found: dict[str, list[tuple[str, str]]] = {}
    for words in _OWN_WORDS:
        first, _, then = words.partition("*")
        found.setdefault(words[:_KEYED], []).append((first, then))
    return {key: tuple(some) for key, some in found.items()}


_KEYED = 4
_WORDS = _by_beginning()


def is_own(line: str) -> bool:
    """Whether a line, folded and without what decorates it, begins as one of Loam's."""
    said = line.lower()
    for first, then in _WORDS.get(said[:_KEYED], ()):
        if said.startswith(first) and (not then or then in said):
            return True
    if any(words in said for words in _OWN_WITHIN) or _FORM.match(line):
        return True
    if _FENCE_NAMED.search(line) and (
        _FENCE_TAG.search(line) or (len(line) < _LONGEST_END and _FENCE_ENDS.search(line))
    ):
        return True
    return any(sign in line and form.match(line) for sign, form in _SIGNED_FORMS)
