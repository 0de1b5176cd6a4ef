"""The lines below a note about those it forms a pair with."""

from dataclasses import replace

from sessions_app.answers.rules.beside import Other, lines

NEWER = Other(
    ref="PLAT-2", kind="CONTEXT", status="draft", date="2026-11-27", who="bob", by_person=False, newer=True,
    sentence="The queue moved to eu-west-1.", relation="supersedes", proposed=True, replaces=True,
)  # fmt: skip
SECOND = replace(NEWER, ref="PLAT-3", sentence="The queue moved to eu-west-2.")


class TestSeveralByOnePerson:
    def test_are_quoted_once_and_named(self) -> None:
        first, second = lines([NEWER, SECOND])
        assert "eu-west-1" in first
        assert second == "Newer: PLAT-3 (2026-11-27, by bob's agent). Proposed to replace this; not reviewed."

    def test_the_latest_is_the_one_that_is_quoted(self) -> None:
        """Of a fact that changed twice it is the one that may hold."""
        latest = replace(SECOND, date="2026-11-28")
        first, second = lines([NEWER, latest])
        assert "eu-west-2" in first
        assert second == "Newer: PLAT-2 (2026-11-27, by bob's agent). Proposed to replace this; not reviewed."

    def test_stand_behind_those_of_others(self) -> None:
        third = replace(SECOND, ref="PLAT-4", who="dana")
        assert [said.split()[1] for said in lines([NEWER, SECOND, third])] == ["PLAT-2", "PLAT-4", "PLAT-3"]

    def test_are_all_quoted_where_they_are_confirmed_or_settled(self) -> None:
        for more in ({"status": "promoted"}, {"relation": "complements", "proposed": False}):
            assert all("eu-west" in said for said in lines([replace(NEWER, **more), replace(SECOND, **more)]))  # type: ignore[arg-type]


class TestContradiction:
    SAID = replace(
        NEWER, relation="contradicts", proposed=False, replaces=False, reported_by="fay (agent)", sentence=""
    )

    def test_is_told_as_one_of_the_newer_with_the_older_on_both_sides(self) -> None:
        """It is the newer one that was written against the older one, whichever is read."""
        [on_older] = lines([self.SAID])
        [on_newer] = lines([replace(self.SAID, ref="PLAT-1", newer=False)])
        assert on_older.startswith("fay (agent) says that the newer one contradicts this: PLAT-2 (")
        assert on_newer.startswith("fay (agent) says that this contradicts the older one: PLAT-1 (")
