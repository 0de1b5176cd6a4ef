"""Forms of what a person writes: a new insight, and one text for two."""

from datetime import datetime
from typing import Any

from django import forms

from accounts.forms import ActionForm, WatchedForm
from accounts.rules.rights import PERSONAL, Level, Member, TeamKind
from knowledge.forms.fields import body_field, files_field, kind_field, questions_field, reasoning_field, symbols_field
from knowledge.forms.insights import LISTS, LONGEST, MOST, lists_of
from knowledge.models import Insight, Pair
from knowledge.review.actions.settle import SidesChanged, merge_with_text
from knowledge.review.rules.three_way_merge import join_texts
from knowledge.rules.draft import Draft
from knowledge.rules.vocabulary import Kind, Source, Stability


class MergedTextForm(WatchedForm):
    """The text that two insights get in common. `keep`: whose reference stays; their tags, files and symbols are joined
    as of any merge.
    """

    keep = forms.ChoiceField(label="Reference to keep", widget=forms.RadioSelect)
    title = forms.CharField(max_length=200)
    body = body_field(rows=12)
    reasoning = reasoning_field(rows=4)
    why = forms.CharField(required=False, max_length=1_000, label="Reason", help_text="Shown in the history.")

    def __init__(self, *args: Any, pair: Pair, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.pair = pair
        self.fields["keep"].choices = [(ref, ref) for ref in (pair.a.ref, pair.b.ref)]  # type: ignore[attr-defined]

    @classmethod
    def starting_from(cls, pair: Pair, start: str, keep: str) -> "MergedTextForm":
        """The form with the words of one side (`start` is its reference), or of both, that of `keep` first."""
        sides = {side.ref: side for side in (pair.a, pair.b)}
        first = sides.pop(start if start in sides else keep)
        (second,) = sides.values()
        texts = {name: getattr(first, name) for name in ("body", "reasoning")}
        if start != first.ref:
            texts = {name: join_texts(text, getattr(second, name)) for name, text in texts.items()}
        return cls(pair=pair, initial={"keep": keep, "title": first.title, **texts})

    def save(self, *, by: Member, now: datetime, marks: str) -> tuple[Pair, Insight] | None:
        """The pair as settled and the insight that stays; None if something typed is at fault, or it is `stale`."""
        data = self.cleaned_data
        texts = {name: data[name].replace("\r\n", "\n") for name in ("title", "body", "reasoning")}
        sent: dict[str, Any] = {"pair_id": self.pair.pk, "keep": data["keep"], "texts": texts, "why": data["why"]}
        try:
            return self.attempt(merge_with_text, **sent, by=by, now=now, marks=marks)
        except SidesChanged:
            self.stale = True
            return None


class NewInsightForm(ActionForm):
    """What is written, and for which team."""

    team = forms.ChoiceField(help_text="Its members and their agents will be able to read it.")
    kind = kind_field()
    title = forms.CharField(max_length=200, required=False, help_text="Made from the first sentence if empty.")
    body = body_field(rows=10)
    reasoning = reasoning_field(rows=3)
    tags = forms.CharField(required=False, help_text="Separated by commas.")
    repo = forms.CharField(required=False, max_length=200, label="Repository")
    files = files_field(rows=2)  # type: ignore[assignment]
    symbols = symbols_field(rows=2)
    questions = questions_field()
    stability = forms.ChoiceField(choices=[(s.value, s.value) for s in Stability], initial=Stability.STABLE.value)
    called = {"query": "body"}

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        writable = [team for team in member.teams if member.may(team.id, Level.CONTRIBUTOR)]
        # Shared teams first, one's own next, everyone's last: nothing is shown to more people than was chosen.
        order = (TeamKind.SHARED, TeamKind.PERSONAL, TeamKind.EVERYONE)
        writable.sort(key=lambda team: (order.index(team.kind), team.name))
        named = [(PERSONAL if team.kind is TeamKind.PERSONAL else team.slug, team.name) for team in writable]
        # Chosen, not given: what is written for the wrong team is read by the wrong people.
        self.fields["team"].choices = [("", "choose a team"), *named]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        for name in LISTS:
            entries = lists_of(name, self.cleaned_data.get(name, ""))
            longest = max((len(entry) for entry in entries), default=0)
            if len(entries) > MOST[name]:
                self.add_error(name, f"At most {MOST[name]}; {len(entries)} given.")
            if longest > LONGEST[name]:
                self.add_error(name, f"Each at most {LONGEST[name]} characters; one has {longest}.")
        return self.cleaned_data

    def draft(self) -> Draft:
        """What was written, as a deposit takes it."""
        data = self.cleaned_data
        return Draft(
            kind=Kind(data["kind"]),
            body=data["body"].replace("\r\n", "\n"),
            title=data["title"],
            reasoning=data["reasoning"].replace("\r\n", "\n"),
            repo=data["repo"],
            team=data["team"],
            stability=Stability(data["stability"]),
            source_type=Source.HUMAN,
            tags=lists_of("tags", data["tags"]),
            files=lists_of("files", data["files"]),
            symbols=lists_of("symbols", data["symbols"]),
            questions=lists_of("questions", data["questions"]),
        )
