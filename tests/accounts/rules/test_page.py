import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.rules.page import BadPage, Page, read, render_page
from tests.cases import cases

# What PostgreSQL takes as text: anything but NUL and surrogates.
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=200)
HOSTILE = st.lists(
    st.one_of(
        TEXT,
        st.sampled_from(
            [
                "%% loam: history %%\n",
                "\\%% loam: reasoning %%",
                "---\n",
                "```json\n",
                "```",
                "\n",
                "\r\n",
                "\x85",
                "\ufeff",
            ]
        ),
    ),
    max_size=8,
).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | HOSTILE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(HOSTILE, inner, max_size=4),
    max_leaves=8,
)


class TestPage:
    @given(title=HOSTILE, tags=st.lists(HOSTILE, max_size=5), body=HOSTILE, reasoning=HOSTILE, said=JSON)
    def test_is_read_as_it_was_written(
        self, title: str, tags: list[str], body: str, reasoning: str, said: object
    ) -> None:
        head = {"title": title, "tags": tags, "strength": 12.5, "pinned": True}
        page = Page(head, {"": body, "reasoning": reasoning}, (), [{"signal": {"said": said}}])
        text = render_page(page)
        found = read(text.encode().decode())
        assert found.head == head
        assert found.texts == page.texts
        assert list(found.records) == page.records
        assert render_page(found) == text

    def test_is_read_after_an_editor_has_laid_it_out_anew(self) -> None:
        text = (
            "---\r\ntitle: A plain one\r\ntags:\r\n  - a\r\n  - b\r\nat: 2026-01-02T03:04:05Z\r\n---\r\nThe text.\r\n"
        )
        page = read(text)
        assert page.head == {"title": "A plain one", "tags": ["a", "b"], "at": "2026-01-02T03:04:05+00:00"}
        assert page.texts == {"": "The text."}

    @cases(
        ("head", "why"),
        [
            ("a: &x [1]\nb: *x\n", "aliases"),
            ("a: " + "[" * 20 + "]" * 20 + "\n", "deeper"),
            ("a: " + "x" * 500_000 + "\n", "characters"),
            ("a: !!python/object/apply:os.system ['true']\n", "not YAML"),
            ("a: .inf\n", "an invalid number"),
            ("- a\n", "names no fields"),
            ("a: [\n", "not YAML"),
            ("a: !!binary aGk=\n", "a bytes"),
        ],
    )
    def test_refuses_hostile_front_matter(self, head: str, why: str) -> None:
        with pytest.raises(BadPage, match=why):
            read(f"---\n{head}---\n")

    @cases("line", ["[1]", '{"a": NaN}', "{", "[" * 100_000, '{"a": 1e999}', '{"a": "\\ud800"}'])
    def test_refuses_a_history_that_is_no_json(self, line: str) -> None:
        with pytest.raises(BadPage):
            read(f"---\na: 1\n---\n\nText.\n\n%% loam: history %%\n\n```json\n{line}\n```\n")

    def test_refuses_a_text_without_front_matter(self) -> None:
        with pytest.raises(BadPage, match="does not start with front matter"):
            read("# A note\n")
