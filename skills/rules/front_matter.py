"""Read and write YAML front matter without loss.

`knowledge.imports.rules.front_matter` reads notes, and may turn a date into a date. Here every plain scalar stays text,
except true, false, null and whole numbers, which clients need as such (`disable-model-invocation: true` as text would
never work). `version: 1.10` stays 1.10, and `no` is a word.

Files come from strangers: size and depth are limited, and aliases and duplicate keys are refused. Many published files
have an unquoted colon in their description, which is invalid YAML; such a line is read as plain text.
"""

import re
from typing import Any

import yaml

from accounts.rules.bounded_yaml import Unbounded, check
from skills.rules.refusals import NotASkill

LONGEST = 12_000
DEEPEST = 6

_BLOCK = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"([A-Za-z_][\w-]{0,60}):(?:\s+|\Z)(.*)", re.DOTALL)


class _Texts(yaml.SafeLoader):
    """SafeLoader with almost no implicit types, which refuses duplicate keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        names = [getattr(key, "value", None) for key, _ in node.value]
        twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
        if twice is not None:
            raise NotASkill(f"its front matter has {str(twice)[:60]!r} twice")
        return super().construct_mapping(node, deep=deep)


_Texts.yaml_implicit_resolvers = {}
for _tag, _regex, _first in (
    ("tag:yaml.org,2002:bool", re.compile(r"true|True|TRUE|false|False|FALSE"), "tTfF"),
    ("tag:yaml.org,2002:null", re.compile(r"~|null|Null|NULL|"), ["~", "n", "N", ""]),
    ("tag:yaml.org,2002:int", re.compile(r"0|-?[1-9][0-9]{0,14}"), "-0123456789"),
):
    _Texts.add_implicit_resolver(_tag, re.compile(f"(?:{_regex.pattern})\\Z"), list(_first))


class _Writer(yaml.SafeDumper):
    """Writes long texts in one piece, and indents lists."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(writer: yaml.SafeDumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text and not re.search(r"[ \t]\n|[^\n\t -~\xa0-\ud7ff]", text) else None
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Writer.add_representer(str, _text)


def split(text: str) -> tuple[dict[str, Any], str]:
    """Return the metadata and the text below it. Raises NotASkill, also if there is no front matter."""
    block = _BLOCK.match(text)
    if block is None:
        raise NotASkill("it does not start with front matter between two lines of ---")
    source = block["yaml"]
    if len(source) > LONGEST:
        raise NotASkill(f"front matter of {len(source):,} characters; the limit is {LONGEST:,}")
    try:
        found = _loaded(source)
    except yaml.YAMLError:
        found = _line_by_line(source)
    if not isinstance(found, dict):
        raise NotASkill("its front matter is not a mapping")
    return {str(name): value for name, value in found.items()}, text[block.end() :]


def joined(metadata: dict[str, Any], body: str) -> str:
    """Return the text that `split` reads back to the same values."""
    written = yaml.dump(
        metadata, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=10**9, default_flow_style=False
    )
    return f"---\n{written}---\n\n{body}\n"


def _loaded(source: str) -> Any:
    try:
        check(source, deepest=DEEPEST, loader=_Texts, tags=False)
    except Unbounded as fault:
        raise NotASkill(str(fault)) from None
    return yaml.load(source, Loader=_Texts)  # a SafeLoader


def _line_by_line(source: str) -> dict[str, Any]:
    """Return each name with the lines indented below it, read separately; invalid YAML is taken as text."""
    found: dict[str, Any] = {}
    for block in _blocks(source):
        key = _KEY.match(block)
        if key is None:
            raise NotASkill(f"its front matter is not YAML at: {block.strip()[:60]!r}")
        if key[1] in found:
            raise NotASkill(f"its front matter has {key[1]!r} twice")
        try:
            found |= _loaded(block)
        except (yaml.YAMLError, TypeError):
            found[key[1]] = " ".join(key[2].split()).strip("'\"")
    return found


def _blocks(source: str) -> list[str]:
    blocks: list[str] = []
    for line in source.split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] in " \t-" and blocks:
            blocks[-1] += f"\n{line}"
        else:
            blocks.append(line)
    return blocks
