"""What topics are called."""

import time

from hypothesis import given
from hypothesis import strategies as st

from knowledge.topics.rules.labels import Titled, labels, terms
from tests.cases import cases

GIT = [
    Titled("Undo a commit on the wrong branch", "Move the branch back with `git reset --soft HEAD~1`."),
    Titled("Merge conflicts in lock files", "Take theirs, then run the package manager. Git keeps the merge conflict."),
    Titled("Resolve a merge conflict while rebasing", "During a rebase `ours` is the branch that is rebased onto."),
    Titled("Find the merge conflict markers", "`git diff --check` lists them before they get into a commit."),
]
SQL = [
    Titled("Add an index without locking the table", "PostgreSQL builds it with CONCURRENTLY, outside a transaction."),
    Titled("A partial index needs the same WHERE", "PostgreSQL only uses a partial index if the query implies it."),
    Titled("Find unused indexes", "PostgreSQL counts index scans per table in pg_stat_user_indexes."),
]


class TestTerms:
    @cases(
        ("text", "forms"),
        [
            ("Merge conflicts in lock files", ["merge", "conflicts", "merge conflicts"]),
            ("the node.js runtime", ["node.js", "runtime", "node.js runtime"]),
            ("use C++ and PostgreSQL", ["C++", "PostgreSQL"]),
            ("run it, fix it, 404", []),
            ("a pool, a worker", ["pool", "worker"]),
            ("text ```code block``` text", ["text", "text"]),
        ],
    )
    def test_are_words_and_neighbours_that_name_a_subject(self, text: str, forms: list[str]) -> None:
        assert sorted(form for _, form in terms(text)) == sorted(forms)

    def test_have_one_stem_for_all_forms(self) -> None:
        assert {term for term, _ in terms("conflict")} == {term for term, _ in terms("Conflicts")}


class TestLabels:
    def test_say_what_sets_a_topic_apart_as_people_write_it(self) -> None:
        assert labels([GIT, SQL]) == ["merge conflict, branch, commit, git", "index, PostgreSQL, table"]

    def test_have_two_to_four_terms(self) -> None:
        for label in labels([GIT, SQL, GIT + SQL]):
            assert 2 <= len(label.split(", ")) <= 4

    def test_follow_the_tags(self) -> None:
        tagged = [Titled(one.title, one.body, ["version-control", "git"]) for one in GIT]
        (label, _) = labels([tagged, SQL])
        assert "version control" in label

    def test_write_a_name_as_texts_do_and_not_as_a_tag_does(self) -> None:
        topic = [Titled("Redirects of HTTP clients", "Most HTTP clients follow them.", ["http"])] * 3
        assert "HTTP" in labels([topic])[0]

    def test_leave_out_what_only_one_member_says(self) -> None:
        topic = [*SQL, Titled("Zanzibar holidays", "Zanzibar is far.")]
        assert "zanzibar" not in labels([GIT, topic])[1].lower()

    def test_differ_from_each_other(self) -> None:
        assert len(set(labels([GIT, GIT, GIT]))) == 3

    @cases(
        ("members", "label"),
        [([Titled("", "")], "Untitled"), ([Titled("ok", "it works")], "Untitled"), ([Titled("Redis", "")], "redis")],
    )
    def test_make_do_with_little(self, members: list[Titled], label: str) -> None:
        assert labels([members]) == [label]

    def test_number_those_without_a_word(self) -> None:
        assert labels([[Titled("ok", "")], [Titled("", "")]]) == ["Untitled", "Untitled 2"]

    def test_of_no_topics_are_none(self) -> None:
        assert labels([]) == []

    @given(st.lists(st.lists(st.builds(Titled, st.text(max_size=40), st.text(max_size=80)), max_size=4), max_size=4))
    def test_are_as_many_as_topics_and_never_empty_or_equal(self, topics: list[list[Titled]]) -> None:
        found = labels(topics)
        assert len(found) == len(topics) == len(set(found))
        assert all(found)

    @cases("unit", ["a.b", "a b ", "<", "- ", "    x\n", "```"])
    def test_read_hostile_text_in_no_time(self, unit: str) -> None:
        began = time.process_time()
        labels([[Titled(unit * 30, unit * 50_000)]])
        assert time.process_time() - began < 1
