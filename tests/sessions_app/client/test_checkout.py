"""What the client does with a checkout: looks for secrets before a commit, tells which file imports which."""

import json
from pathlib import Path

import pytest

from sessions_app.client.src.checkout.place import uncommitted
from tests.sessions_app.client.machine import Machine

KEY = "AKIA" + "Q3EXZ7WLM2PRTYHK"


class TestGuardScan:
    def test_names_the_place_and_never_the_secret(self, alone: Machine) -> None:
        alone.write("src/a.py", f"x = 1\nkey = '{KEY}'\n")
        done = alone.run("guard", "scan", "src")
        assert (done.status, done.out) == (1, "src/a.py:2:8: AWS access key\n")
        assert KEY not in done.out + done.err

    def test_is_content_with_clean_files(self, alone: Machine) -> None:
        alone.write("src/a.py", "x = 1\n")
        done = alone.run("guard", "scan", "src")
        assert (done.status, done.out) == (0, "No secret in 1 file.\n")

    def test_looks_at_what_the_commit_adds(self, machine: Machine) -> None:
        machine.write("old.py", f"key = '{KEY}'\n")
        machine.git("add", ".")
        machine.git("commit", "-m", "long ago")
        machine.write("old.py", f"key = '{KEY}'\nx = 1\n")
        machine.write("ünï.py", f"y = 2\n\nkey = '{KEY}'\n")
        machine.git("add", ".")
        machine.write("ünï.py", "not staged\n")
        done = machine.run("guard", "scan", "--staged")
        assert (done.status, done.out) == (1, "ünï.py:3:8: AWS access key\n")

    def test_stops_a_commit_as_a_hook_of_git(self, machine: Machine) -> None:
        hook = machine.checkout / ".git/hooks/pre-commit"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\nexec {machine.python} -I {machine.client} guard scan --staged\n")
        hook.chmod(0o755)
        machine.write("a.py", f"key = '{KEY}'\n")
        machine.git("add", ".")
        with pytest.raises(Exception, match="commit"):
            machine.git("commit", "-m", "no")
        machine.write(".loam-guard-skip", "a.py\n")
        machine.git("add", ".")
        machine.git("commit", "-m", "looked at")

    def test_passes_over_what_is_no_text(self, alone: Machine) -> None:
        (alone.write("a.bin", "")).write_bytes(b"\0" + KEY.encode())
        assert alone.run("guard", "scan", ".").status == 0


FILES = {
    "shop/__init__.py": "",
    "shop/importer.py": "import csv\nfrom shop.rules import parse\nfrom . import store\nfrom .store import Row\n",
    "shop/rules.py": "def parse(): ...\n",
    "shop/store/__init__.py": "from ..rules import parse\n",
    "src/lib/core.py": "import os\n",
    "src/lib/use.py": "from lib.core import x\nimport lib.core\n",
    "broken.py": "def (:\n",
    "web/app.ts": "import { a } from './a';\nimport './styles.css';\nexport * from '../web/b.js';\nimport 'react'\n",
    "web/a.tsx": "const b = require('./b');\nconst c = await import('./c')\n",
    "web/b.ts": "export {\n  d,\n} from './d/index.js';",
    "web/c/index.js": "",
    "web/d/index.ts": "",
    "node_modules/x/index.js": "import './y'",
    "web/styles.css": "",
}


class TestIndex:
    @pytest.mark.parametrize("in_git", [True, False])
    def test_tells_which_file_imports_which(self, machine: Machine, alone: Machine, in_git: bool) -> None:
        here = machine if in_git else alone
        for name, text in FILES.items():
            here.write(name, text)
        here.write(".gitignore", "node_modules\n")
        graph = {one["path"]: one["imports"] for one in here.run("index", "--print", "--json").json}
        assert graph == {
            "broken.py": [],
            "shop/__init__.py": [],
            "shop/importer.py": ["shop/rules.py", "shop/store/__init__.py"],
            "shop/rules.py": [],
            "shop/store/__init__.py": ["shop/rules.py"],
            "src/lib/core.py": [],
            "src/lib/use.py": ["src/lib/core.py"],
            "web/a.tsx": ["web/b.ts", "web/c/index.js"],
            "web/app.ts": ["web/a.tsx", "web/b.ts", "web/styles.css"],
            "web/b.ts": ["web/d/index.ts"],
            "web/c/index.js": [],
            "web/d/index.ts": [],
        }

    def test_uploads_it(self, machine: Machine, server: object) -> None:
        machine.write("a.py", "import b\n")
        machine.write("b.py", "")
        assert machine.run("index").status == 0
        (told,) = [body for _, path, body in server.counted if "code-index" in path]  # type: ignore[attr-defined]
        assert told["repo"] == "acme/shop"
        assert json.dumps(told["files"][0]) == '{"path": "a.py", "imports": ["b.py"]}'


class TestUncommitted:
    def test_names_what_differs_and_no_files_that_tools_left(self, machine: Machine) -> None:
        for name in ("a.py", "b.py", "c.py"):
            machine.write(name, name * 20)
        machine.git("add", ".")
        machine.git("commit", "-m", "first")
        machine.git("mv", "b.py", "moved.py")
        for name in ("a.py", "new/d e.py", "__pycache__/a.cpython-311.pyc", "src/.mypy_cache/x.json"):
            machine.write(name, "changed")
        assert sorted(uncommitted(str(machine.checkout)) or []) == ["a.py", "moved.py", "new/d e.py"]

    def test_knows_nothing_without_git(self, tmp_path: Path) -> None:
        assert uncommitted(str(tmp_path)) is None
