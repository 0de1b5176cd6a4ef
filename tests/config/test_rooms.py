"""A stranger finds the room: small folders, each named on the page, and one meaning for each class name."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("accounts", "knowledge", "skills", "sessions_app", "config")
MOST_MODULES = 20
MOST_LINES = 400
# What Django itself looks for by this name, and choices that are read with their model before them (`Pair.State`).
SHARED = {"Command", "Meta", "Kind", "State"}
# Names that were given up for plainer ones: `merge_in`, `rebuild_keyword_vectors`, `ActiveSession` and so on.
REPLACED = {
    "absorb", "alone", "disown", "foresee", "held_by", "judged", "kept_by_hand", "meanwhile", "outside", "overtaken",
    "reweigh", "ring", "told", "told_changes", "told_error", "untold",
    "Cut", "Drop", "Living", "Mark", "Pace", "Slot", "Told", "Wish", "_Whoever",
}  # fmt: skip
# A model, and the closed list of its values.
MODELS = {"Outcome", "Question", "Relation", "Source"}


def folders() -> list[Path]:
    found = {path.parent for app in APPS for path in (ROOT / app).rglob("*.py") if "migrations" not in path.parts}
    return sorted(found)


def test_no_folder_has_more_modules_than_one_sees_at_once() -> None:
    crowded = {
        str(folder.relative_to(ROOT)): count
        for folder in folders()
        if (count := len([path for path in folder.glob("*.py") if path.name != "__init__.py"])) > MOST_MODULES
    }
    assert crowded == {}


def test_a_file_holds_one_subject() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for folder in folders()
        for path in folder.glob("*.py")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > MOST_LINES
    }
    assert long == {}


def test_every_room_is_named_on_the_page_of_the_architecture() -> None:
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    rooms = {folder.parent for folder in folders() if folder.name in {"rules", "actions"}}
    rooms -= {ROOT / app for app in APPS}
    assert [room for room in sorted(rooms) if f"`{room.relative_to(ROOT)}`" not in page] == []


def test_a_class_name_means_one_thing() -> None:
    places = defaultdict(set)
    for folder in folders():
        for path in folder.glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    places[node.name].add(str(path.relative_to(ROOT)))
    assert {name: where for name, where in places.items() if len(where) > 1 and name not in SHARED | MODELS} == {}


def test_no_name_that_was_replaced_comes_back() -> None:
    """Each of these said something else to a reader than what it did."""
    defined = {
        f"{path.relative_to(ROOT)}: {node.name}"
        for folder in folders()
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name in REPLACED
    }
    assert defined == set()
