"""YAML of strangers, looked at before anything is built of it.

A parser's events nest nothing, so they can be walked whatever the text is: with aliases a hundred characters stand for
gigabytes, and a thousand brackets cost a thousand frames of the stack.
"""

from typing import Any

import yaml


class Unbounded(ValueError):
    """It is nested too deep, uses aliases, or tags where there may be none; the text says which."""


def check(source: str, *, deepest: int, loader: Any = yaml.CSafeLoader, tags: bool = True) -> None:
    """Raises Unbounded, and YAMLError where it is no YAML. `deepest`: levels of nesting; `tags`: whether there may be
    explicit ones.
    """
    depth = 0
    for event in yaml.parse(source, Loader=loader):
        if isinstance(event, yaml.AliasEvent):
            raise Unbounded("front matter with YAML aliases")
        if not tags and getattr(event, "tag", None):
            raise Unbounded("front matter with YAML tags")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > deepest:
            raise Unbounded(f"front matter nested deeper than {deepest} levels")
