"""Shapes at the door for people: searching the insights, and editing one."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import forms

from accounts.forms import ActionForm
from accounts.rules.refused import Stale
from accounts.rules.rights import Member
from knowledge.forms.fields import (
    body_field,
    choices,
    files_field,
    kind_field,
    questions_field,
    reasoning_field,
    symbols_field,
)
from knowledge.lifecycle.rules.decay import STRENGTH_BANDS
from knowledge.models import EditProposal, Insight
from knowledge.retrieval.rules.ask import Ask
from knowledge.review.proposals.actions.suggest import edit_or_suggest
from knowledge.review.rules.three_way_merge import MergedText, merge_entries, merge_texts
from knowledge.rules.draft import LONGEST_QUESTION, MOST_QUESTIONS, Draft
from knowledge.rules.vocabulary import STANDINGS, Kind, Source, Stability

# One screen of answers: more than an agent asks for, so that a person can see what came close behind.
SHOWN = 20

# How a message says that what it tells can be undone; what undoes it follows.
UNDO = "undo:"
FILTERS = ("kind", "status", "team", "tag", "repo", "author", "owner", "reviewed")
# How a search is ranked: by plain text, the newest first, or as an agent is answered.
AS_AGENT = "agent"
# What links narrow the list by, and no control of the form does; they stand in the address as the others do.
LINKED = ("pinned", "stale", "topic", "created_since", "created_until", "strength")
# How the lists of an insight are typed: what parts one entry from the next.
LISTS = {"tags": ",", "files": "\n", "symbols": "\n", "questions": "\n"}
# How they are shown in a form.
GLUE = {"tags": ", ", "files": "\n", "symbols": "\n", "questions": "\n"}
# The longest entry of each, and how many: as the API takes them (knowledge/serializers/insights.py).
LONGEST = {"tags": 60, "files": 400, "symbols": 200, "questions": LONGEST_QUESTION}
MOST = {"tags": 50, "files": 50, "symbols": 50, "questions": MOST_QUESTIONS}


class SearchForm(forms.Form):
    """What the list is narrowed to; all of it stands in the address, so a search can be kept and shared."""

    q = forms.CharField(required=False, max_length=2_000, label="Search")
    kind = forms.ChoiceField(required=False, choices=choices(Kind, "any kind"))
    status = forms.ChoiceField(required=False, choices=[("", "any status"), *((word, word) for word in STANDINGS)])
    team = forms.ChoiceField(required=False)
    tag = forms.CharField(required=False, max_length=60, widget=forms.TextInput(attrs={"placeholder": "any tag"}))
    repo = forms.CharField(
        required=False,
        max_length=200,
        label="Repository",
        widget=forms.TextInput(attrs={"placeholder": "any repository"}),
    )
    nearest = forms.BooleanField(required=False, widget=forms.HiddenInput)
    pinned = forms.CharField(required=False, max_length=5, widget=forms.HiddenInput)
    stale = forms.CharField(required=False, max_length=5, widget=forms.HiddenInput)
    author = forms.CharField(
        required=False, max_length=150, widget=forms.TextInput(attrs={"placeholder": "any author"})
    )
    owner = forms.CharField(required=False, max_length=150, widget=forms.TextInput(attrs={"placeholder": "any owner"}))
    reviewed = forms.ChoiceField(
        required=False, choices=[("", "reviewed or not"), ("never", "never reviewed"), ("yes", "reviewed")]
    )
    rank = forms.ChoiceField(
        required=False, choices=[("", "Text"), (AS_AGENT, "As an agent")], widget=forms.RadioSelect, label="Search by"
    )
    topic = forms.UUIDField(required=False, widget=forms.HiddenInput)
    created_since = forms.DateField(required=False, label="Deposited from", widget=forms.HiddenInput)
    created_until = forms.DateField(required=False, label="Deposited until", widget=forms.HiddenInput)
    strength = forms.ChoiceField(
        required=False,
        choices=[("", "any strength"), *((one, one) for one in STRENGTH_BANDS)],
        widget=forms.HiddenInput,
    )

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = [("", "any team"), *[(team.slug, team.name) for team in member.teams]]
        self.fields["team"].choices = teams  # type: ignore[attr-defined]

    @property
    def filters(self) -> list[forms.BoundField]:
        return [self[name] for name in FILTERS]

    @property
    def asks_as_agent(self) -> bool:
        """Whether something is asked as an agent would ask it."""
        return bool(self.cleaned_data["q"]) and self.cleaned_data["rank"] == AS_AGENT

    @property
    def linked(self) -> list[forms.BoundField]:
        """Those that a link has set, for the form to send along."""
        return [self[name] for name in LINKED if name in self.active]

    @property
    def active(self) -> dict[str, str]:
        """The filters that are set, the question apart, by name."""
        data = getattr(self, "cleaned_data", {})
        return {name: str(data[name]) for name in (*FILTERS, *LINKED) if data.get(name)}

    @property
    def chips(self) -> list[tuple[str, str, str]]:
        """Label and word of each filter that is set, and the query string that is left without it."""
        kept = {"q": self.cleaned_data.get("q", ""), "rank": self.cleaned_data.get("rank", ""), **self.active}
        found = []
        for name, value in self.active.items():
            words = dict(getattr(self.fields[name], "choices", [])).get(value, value)
            others = {other: text for other, text in kept.items() if text and other != name}
            found.append((str(self[name].label).lower(), words, urlencode(others)))
        return found

    def ask(self) -> Ask:
        """The question an agent would send; with `nearest` also what would be too far off to be served."""
        data = self.cleaned_data
        return Ask(
            text=data["q"],
            kinds=[data["kind"]] if data["kind"] else [],
            teams=[data["team"]] if data["team"] else [],
            repo=data["repo"],
            tags=[data["tag"]] if data["tag"] else [],
            limit=SHOWN,
            trim=not data["nearest"],
        )


class EditForm(ActionForm):
    """An insight's words and anchors, with the revision they were read at.

    Each field carries the value it had when the page was made (Django's `show_hidden_initial`): only what the
    person changed is written, and when the insight was changed meanwhile, the two can be told apart.
    """

    stale = False

    revision = forms.IntegerField(widget=forms.HiddenInput)
    title = forms.CharField(max_length=200)
    kind = kind_field()
    body = body_field(rows=12)
    reasoning = reasoning_field(rows=4)
    tags = forms.CharField(required=False, help_text="Separated by commas.")
    repo = forms.CharField(required=False, max_length=200, label="Repository")
    files = files_field(rows=3)  # type: ignore[assignment]
    symbols = symbols_field(rows=3)
    questions = questions_field()
    stability = forms.ChoiceField(choices=[(s.value, s.value) for s in Stability])
    why = forms.CharField(required=False, max_length=1_000, label="Reason", help_text="Shown in the history.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.written:
            self.fields[name].show_hidden_initial = True

    @property
    def written(self) -> list[str]:
        """The fields that are the insight's own."""
        return [name for name in self.fields if name not in ("revision", "why")]

    @property
    def changes(self) -> dict[str, Any]:
        """What the person changed, as `curate.edit` takes it."""
        return {name: self._value(name) for name in self.changed_data if name in self.written}

    @classmethod
    def of(cls, insight: Insight) -> "EditForm":
        return cls(initial={"revision": insight.revision, **initial_values(insight)})

    def clean(self) -> dict[str, Any]:
        for name in LISTS:
            if name in self.fields and name in self.changed_data and name in self.cleaned_data:
                entries = self._value(name)
                longest = max((len(entry) for entry in entries), default=0)
                if len(entries) > MOST[name]:
                    self.add_error(name, f"At most {MOST[name]}; {len(entries)} given.")
                if longest > LONGEST[name]:
                    self.add_error(name, f"Each at most {LONGEST[name]} characters; one has {longest}.")
        return self.cleaned_data

    def draft(self, team: str) -> Draft:
        """The edited text, as a deposit in that team would take it."""
        data = self.cleaned_data
        return Draft(
            kind=Kind(data["kind"]),
            body=_unix(data["body"]),
            title=data["title"],
            reasoning=_unix(data["reasoning"]),
            repo=data["repo"],
            team=team,
            stability=Stability(data["stability"]),
            source_type=Source.HUMAN,
            **{name: self._value(name) for name in LISTS},
        )

    def save(self, *, ref: str, by: Member, now: datetime) -> Insight | EditProposal | None:
        """The insight as edited, or the suggested edit; None if something typed is at fault, or when it is `stale`."""
        data = self.cleaned_data
        sent: dict[str, Any] = {"changes": self.changes, "revision": data["revision"], "why": data.get("why", "")}
        try:
            return self.attempt(edit_or_suggest, ref=ref, **sent, by=by, now=now)
        except Stale:
            self.stale = True
            return None

    def on_top_of(self, insight: Insight) -> "EditForm":
        """Both edits in one form, over the insight as it is now: `merged` says where both changed the same."""
        now = initial_values(insight)
        data: dict[str, Any] = {f"initial-{name}": now[name] for name in self.written}
        data |= {name: self._merged(name, now[name]).text for name in self.written}
        data |= {"revision": insight.revision, "why": self.data.get("why", "")}
        return type(self)(data)

    def overlaps(self, insight: Insight) -> list[tuple[str, str, str]]:
        """Label, their text and own text of each stretch that both changed differently; both are in the form."""
        now = initial_values(insight)
        return [
            (str(self[name].label), *pair) for name in self.written for pair in self._merged(name, now[name]).conflicts
        ]

    def _merged(self, name: str, now: str) -> MergedText:
        """One field with what was changed meanwhile and what was typed."""
        base = _unix(self.data.get(self.add_initial_prefix(name), now))
        mine = _unix(self.data.get(name, base))
        if name in ("body", "reasoning"):
            return merge_texts(base, now, mine)
        if name in LISTS:
            return MergedText(GLUE[name].join(merge_entries(*(lists_of(name, text) for text in (base, now, mine)))))
        both = mine not in (base, now) and now != base
        return MergedText(now if mine == base else mine, ((now, mine),) if both else ())

    def changed_since(self, insight: Insight) -> list[tuple[str, str, str]]:
        """Label, text as it was when the form was made and as it is now, of each field somebody else changed."""
        now = initial_values(insight)
        were = {name: _unix(self.data.get(self.add_initial_prefix(name), now[name])) for name in self.written}
        return [(str(self[name].label), were[name], now[name]) for name in self.written if were[name] != now[name]]

    def conflicts(self, insight: Insight) -> list[tuple[str, str, str]]:
        """Label, text as it is now and text as typed, of each field the person changed."""
        now = initial_values(insight)
        changed = [name for name in self.written if name in self.changed_data]
        typed = {name: _unix(self.data.get(name, "")) for name in changed}
        return [(str(self[name].label), now[name], typed[name]) for name in changed if typed[name] != now[name]]

    def _value(self, name: str) -> Any:
        text = _unix(self.cleaned_data[name])
        return lists_of(name, text) if name in LISTS else text


def lists_of(name: str, text: str) -> list[str]:
    """The entries of a list as it was typed; `name` is one of LISTS."""
    return [part.strip() for part in _unix(text).split(LISTS[name]) if part.strip()]


class RowForm(EditForm):
    """What is edited in the row of a list: title, kind and tags. Saving, faults and conflicts are as of the whole."""

    body = reasoning = repo = files = symbols = questions = stability = why = None  # type: ignore[assignment]


def initial_values(insight: Insight) -> dict[str, str]:
    """An insight's fields as a form shows them."""
    return {
        **{name: getattr(insight, name) for name in ("title", "kind", "body", "reasoning", "repo", "stability")},
        "tags": ", ".join(insight.tags),
        "files": "\n".join(insight.files),
        "symbols": "\n".join(insight.symbols),
        "questions": "\n".join(insight.questions),
    }


def _unix(text: str) -> str:
    """Browsers send line ends as CR LF; the text has LF alone."""
    return text.replace("\r\n", "\n")


class ReasonForm(forms.Form):
    """Why something is promoted, deprecated or pinned: for the history, never required."""

    why = forms.CharField(required=False, max_length=1_000)


class CombineForm(ReasonForm):
    """The other insight, by its reference. `back`: the page it is done from."""

    other = forms.CharField(required=False, max_length=24)
    back = forms.CharField(required=False, max_length=4_000)


class MoveForm(ReasonForm):
    team = forms.SlugField(max_length=60)


class RateForm(ReasonForm):
    verdict = forms.ChoiceField(choices=[("helpful", "helpful"), ("unhelpful", "unhelpful")])


class OwnerForm(ActionForm):
    """Who is to answer for a topic, an insight or a skill; empty: nobody."""

    owner = forms.CharField(required=False, max_length=150)
