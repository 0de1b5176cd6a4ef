"""Whether a text is code rather than words about it."""

from knowledge.judging.rules.code import is_code
from tests.cases import cases

FUNCTION = '''def first(seq):
    """Return the first item of a sequence."""
    return seq[0]'''
NOTE = """To see the size of a table, ask the catalogue:

```sql
select pg_relation_size('reservations');
```

The figure is in bytes. As you might expect, the table must be part of the database you are connected to, and it must
be on your search path."""


class TestIsCode:
    @cases(
        "text",
        [
            "find . -name '*.swp' -print0 | xargs -0 rm",
            "find -daystart -mtime +7",
            "ls -S",
            FUNCTION,
            "for (const a of b) {\n  run(a);\n}",
            "SELECT id\nFROM insight\nWHERE team = 7",
        ],
    )
    def test_of_commands_and_functions(self, text: str) -> None:
        assert is_code(text)

    @cases(
        "text",
        [
            "Celery beat must run as one process, or every scheduled job fires twice.",
            "Set lock_timeout before a long ALTER TABLE, or every reader waits behind it.",
            "After a rebase, push with git push --force-with-lease: it refuses when somebody pushed meanwhile.",
            NOTE,
            "",
        ],
    )
    def test_is_not_of_sentences_and_notes(self, text: str) -> None:
        assert not is_code(text)
