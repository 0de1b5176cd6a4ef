"""Which field was meant by an unknown name."""

from accounts.rules.field_names import CALLED, MOST_SUGGESTED, suggestion, unknown_names
from tests.cases import cases

DEPOSIT = [
    "kind",
    "body",
    "title",
    "reasoning",
    "tags",
    "files",
    "symbols",
    "repo",
    "error",
    "team",
    "session",
    "relations",
]
QUERY = ["query", "files", "symbols", "tags", "error", "repo", "kinds", "teams", "limit", "session", "max_tokens"]
RATING = ["insight", "insights", "verdict", "query_id", "reason", "session"]


class TestSuggestion:
    @cases(
        ("name", "known", "field"),
        [
            *((name, DEPOSIT, "body") for name in ("content", "text", "summary", "insight", "message")),
            *((name, DEPOSIT, "files") for name in ("file_patterns", "file_context", "paths", "anchors")),
            *((name, DEPOSIT, "symbols") for name in ("symbol_names", "symbol_context")),
            *((name, DEPOSIT, "repo") for name in ("repo_id", "repository", "project")),
            *((name, DEPOSIT, "relations") for name in ("duplicates", "supersedes", "contradicts", "complements")),
            ("relation", DEPOSIT, "relations"),
            ("type", ["ref", "relation", "note"], "relation"),
            ("name", DEPOSIT, "title"),
            ("type", DEPOSIT, "kind"),
            ("error_signature", DEPOSIT, "error"),
            ("tag_context", QUERY, "tags"),
            ("question", QUERY, "query"),
            ("top_k", QUERY, "limit"),
            ("rating", RATING, "verdict"),
            ("insight_id", RATING, "insight"),
            ("comment", RATING, "reason"),
            ("insight_id", ["ref"], "ref"),
            ("content", ["name", "description", "instructions"], "instructions"),
            ("tags", ["name", "trigger_tags", "trigger_files"], "trigger_tags"),
            ("maxTokens", QUERY, "max_tokens"),
            ("max-tokens", QUERY, "max_tokens"),
            ("Query", QUERY, "query"),
            ("errorSignature", QUERY, "error"),
            ("symobls", QUERY, "symbols"),
            ("sesion", QUERY, "session"),
            ("importance", DEPOSIT, None),
            ("nonsense", DEPOSIT, None),
            ("", DEPOSIT, None),
            ("\ud800", DEPOSIT, None),
            ("content", [], None),
        ],
    )
    def test_is_the_field_that_was_meant(self, name: str, known: list[str], field: str | None) -> None:
        assert suggestion(name, known) == field

    def test_is_never_a_name_for_itself(self) -> None:
        assert not [field for field, names in CALLED.items() if field in names.split()]


class TestUnknownNames:
    def test_are_told_each_with_what_was_meant(self) -> None:
        assert unknown_names({"content": "x", "importance": 9, "kind": "PATTERN"}, DEPOSIT) == {
            "content": ["Unknown field. Did you mean `body`?"],
            "importance": ["Unknown field."],
        }

    def test_are_none_where_all_are_known(self) -> None:
        assert unknown_names({"body": "x"}, DEPOSIT) == {}

    def test_never_mean_a_field_that_was_sent(self) -> None:
        assert unknown_names(["content", "body"], DEPOSIT) == {"content": ["Unknown field."]}

    def test_of_a_flood_are_all_told_and_a_few_looked_up(self) -> None:
        found = unknown_names([f"conten{n}" for n in range(500)], ["content"], "argument")
        assert len(found) == 500
        assert sum("Did you mean" in fault for [fault] in found.values()) == MOST_SUGGESTED
