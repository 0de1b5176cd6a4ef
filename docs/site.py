"""mkdocs hook: the pages at the root of the repository become pages of the site, with links that hold there."""

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security-policy.md"}


def on_files(files: Files, config: Any) -> Files:
    """Add the root's pages."""
    for name, page in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=_from_root(text)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page whose links to the root's pages lead to those of the site."""
    for name, to in PAGES.items():
        markdown = re.sub(rf"\]\(((?:\.\./)*)\.\./{name}", rf"](\g<1>{to}", markdown)
    return markdown


def _from_root(text: str) -> str:
    text = re.sub(r"\]\(docs/decisions/?\)", "](decisions/README.md)", text)
    text = text.replace("](docs/", "](")
    for name, to in PAGES.items():
        text = text.replace(f"]({name}", f"]({to}")
    return text.replace("](README.md", "](tutorial.md")
