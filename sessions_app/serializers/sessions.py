"""Shapes at the door of `sessions/`."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.serializers import SessionField, StrictCharField, StrictSerializer, WordField
from knowledge.serializers.insights import words
from sessions_app.actions.capture import Report
from sessions_app.actions.end import SessionWords
from sessions_app.actions.start import Opening, Started
from sessions_app.handoffs.actions.acknowledge import Action
from sessions_app.handoffs.actions.recover_killed import Killed
from sessions_app.handoffs.rules.handoff_text import BUDGET as HANDOFF_BUDGET
from sessions_app.rules.orientation import BUDGET
from sessions_app.rules.vocabulary import READ_ONLY, EventKind, SessionState
from sessions_app.serializers.handoffs import DecisionOut, HandoffOut, HandoffTextOut, OfferOut, lines
from sessions_app.transcripts.rules.turn import LONGEST_TURN, MOST_TURNS, Turn

MOST_EVENTS = 100
LONGEST_TEXT = 20_000
KINDS = sorted({kind.value for kind in EventKind} | READ_ONLY)
# The floor of a budget is the fence, the first line and the handoff's.
LEAST_BUDGET, MOST_BUDGET = 60, 2_000


def a_text(longest: int, **more: Any) -> StrictCharField:
    return StrictCharField(max_length=longest, **{"required": False, "default": "", "allow_blank": True, **more})


class TurnIn(StrictSerializer):
    """One message of a transcript; `role` as the agent's own file has it."""

    role = StrictCharField(max_length=40)
    text = StrictCharField(max_length=LONGEST_TURN, allow_blank=True, trim_whitespace=False)
    at = a_text(40)


def transcript() -> serializers.ListField:
    return serializers.ListField(child=TurnIn(), max_length=MOST_TURNS, required=False, default=None, allow_null=True)


def turns(data: dict[str, Any]) -> tuple[Turn, ...]:
    return tuple(Turn(one["role"], one["text"], one["at"]) for one in data["transcript"] or ())


# A checkout with more uncommitted files than this is one that somebody generates into.
MOST_PATHS = 200


def uncommitted() -> serializers.ListField:
    return serializers.ListField(
        child=StrictCharField(max_length=400),
        max_length=MOST_PATHS,
        required=False,
        default=None,
        allow_null=True,
        help_text="paths that differ from the last commit; null: not known",
    )


class StartIn(StrictSerializer):
    """A session that begins; `previous` and `transcript` are of the one before it on this machine.

    `checkout`: an opaque id of the checkout, never a path; with the repo and the user it names the work item, whose
    open handoff is offered first. `agent_session`: the agent's own id of this session, by which a transcript found
    later is known. `uncommitted`: what is in no commit. `handoff_tokens`: the budget for the text of a handoff
    that is offered. `share_prompts` sets the member's setting, unless the token is narrowed to teams. `at`: when it
    began, if that is told later. More in docs/handoffs.md.
    """

    repo = StrictCharField(max_length=200)
    team = a_text(60)
    branch = a_text(200)
    agent = a_text(80)
    machine = a_text(120)
    prompt = a_text(LONGEST_TEXT)
    previous = SessionField(allow_null=True)
    transcript = transcript()
    max_tokens = serializers.IntegerField(
        min_value=LEAST_BUDGET, max_value=MOST_BUDGET, required=False, default=BUDGET, help_text="of the orientation"
    )
    checkout = a_text(80)
    agent_session = a_text(200)
    uncommitted = uncommitted()
    handoff_tokens = serializers.IntegerField(
        min_value=0,
        max_value=MOST_BUDGET,
        required=False,
        default=0,
        help_text="of one handoff's text; 0: none is given",
    )
    share_prompts = serializers.BooleanField(required=False, default=None, allow_null=True)
    at = serializers.DateTimeField(required=False, default=None, allow_null=True)

    def opening(self, key: str) -> Opening:
        """The validated opening; `key` is the Idempotency-Key header."""
        data = self.validated_data
        names = ("repo", "team", "branch", "agent", "machine", "prompt", "max_tokens", "checkout", "agent_session")
        same = {name: data[name] for name in (*names, "uncommitted", "handoff_tokens", "share_prompts", "at")}
        return Opening(**same, previous=data["previous"] or "", transcript=turns(data), idempotency_key=key)


class KilledIn(StrictSerializer):
    """One session whose agent is gone and that never said its end, with its transcript. `session`: its id here, if the
    client knows it; else it is known by `agent_session`, the agent's own id of it.
    """

    repo = StrictCharField(max_length=200)
    agent_session = StrictCharField(max_length=200)
    transcript = serializers.ListField(child=TurnIn(), max_length=MOST_TURNS)
    session = SessionField(allow_null=True)
    team = a_text(60)
    checkout = a_text(80)
    branch = a_text(200)
    agent = a_text(80)
    machine = a_text(120)
    uncommitted = uncommitted()

    def killed(self) -> Killed:
        data = self.validated_data
        names = ("repo", "agent_session", "team", "checkout", "branch", "agent", "machine", "uncommitted")
        opening = Opening(**{name: data[name] for name in names}, transcript=turns(data))
        return Killed(opening, data["session"] or "")


class PastIn(StrictSerializer):
    """One session of the time before Loam, or the next slice of a long one, by the agent's own id of it. Its turns say
    when they were said.
    """

    repo = StrictCharField(max_length=200)
    agent_session = StrictCharField(max_length=200)
    transcript = serializers.ListField(child=TurnIn(), max_length=MOST_TURNS)
    team = a_text(60)
    branch = a_text(200)
    agent = a_text(80)
    machine = a_text(120)

    def opening(self) -> Opening:
        data = self.validated_data
        names = ("repo", "agent_session", "team", "branch", "agent", "machine")
        return Opening(**{name: data[name] for name in names}, transcript=turns(data))


class EventIn(StrictSerializer):
    """What was done. Kinds that only look (read, grep, …) are taken and dropped. `id`: yours, to know a retry by."""

    kind = WordField(KINDS)
    path = a_text(1_000)
    command = a_text(LONGEST_TEXT)
    outcome = a_text(40)
    error = a_text(LONGEST_TEXT, trim_whitespace=False)
    at = serializers.DateTimeField(required=False, default=None, allow_null=True)
    id = a_text(80)


class EventsIn(StrictSerializer):
    events = EventIn(many=True, max_length=MOST_EVENTS)  # type: ignore[call-arg]

    def reports(self) -> list[Report]:
        return [Report(**one) for one in self.validated_data["events"]]


class WordsIn(StrictSerializer):
    """What a session says of itself; `at`: when it did, if this is sent later. `summary`, `handoff_note`, `pending` and
    `blockers` are the agent's own words, `asked` is its user's first prompt, `last_message` what the agent said last.
    """

    summary = a_text(LONGEST_TEXT)
    handoff_note = a_text(LONGEST_TEXT)
    pending = words(most=50, longest=2_000)
    blockers = words(most=50, longest=2_000)
    asked = a_text(LONGEST_TEXT)
    last_message = a_text(LONGEST_TEXT)
    uncommitted = uncommitted()
    branch = a_text(200)
    transcript = transcript()
    at = serializers.DateTimeField(required=False, default=None, allow_null=True)

    def words(self) -> SessionWords:
        data = self.validated_data
        names = (
            "summary",
            "handoff_note",
            "pending",
            "blockers",
            "asked",
            "last_message",
            "uncommitted",
            "branch",
            "at",
        )
        return SessionWords(**{name: data[name] for name in names}, transcript=turns(data))


class QuestionIn(StrictSerializer):
    """`changed`: the client saw an edit of the session, which may not have arrived yet."""

    changed = serializers.BooleanField(required=False, default=False)


class QuestionOut(serializers.Serializer[Any]):
    """`text`: the line for the agent, empty if it is not to be asked; `reason`: `switched_off`, `asked_before`,
    `deposited`, `nothing_changed`, or empty; `final`: it will not be asked in this session any more.
    """

    text = serializers.CharField()
    reason = serializers.CharField()
    final = serializers.BooleanField()


class AckIn(StrictSerializer):
    """`handoff`: the session whose handoff it is; left out, the first one this session was offered. `action`: take it
    over, close it, or open it again.
    """

    handoff = a_text(80)
    action = WordField([action.value for action in Action], required=False, default=Action.TAKE.value)


class ListIn(StrictSerializer):
    """Which sessions are listed. `open`: those with an open handoff on `repo`, in the order in which a start there, on
    `branch` or in `checkout`, is offered them.
    """

    repo = a_text(200)
    open = serializers.BooleanField(required=False, default=False)
    branch = a_text(200)
    checkout = a_text(80)
    team = a_text(60)
    state = WordField([state.value for state in SessionState], required=False, default="")
    limit = serializers.IntegerField(min_value=1, max_value=100, required=False, default=20)

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        if data["open"] and not data["repo"].strip():
            raise serializers.ValidationError({"repo": ["Set the repo whose open handoffs to list."]})
        return data


class ReadIn(StrictSerializer):
    max_tokens = serializers.IntegerField(
        min_value=100, max_value=MOST_BUDGET, required=False, default=HANDOFF_BUDGET, help_text="of the handoff's text"
    )


# --- answers ------------------------------------------------------------------------------------------------
class SessionOut(serializers.Serializer[Any]):
    """A session. `session` is its id, which only its user can use; `ref` its short name."""

    session = serializers.CharField(source="key")
    ref = serializers.CharField()
    team = serializers.CharField(source="team.slug")
    user = serializers.CharField(source="user.username")
    repo = serializers.CharField()
    branch = serializers.CharField()
    agent = serializers.CharField()
    machine = serializers.CharField()
    topic = serializers.CharField()
    state = serializers.CharField()
    started_at = serializers.DateTimeField()
    last_seen_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    previous = serializers.SerializerMethodField()
    events = serializers.IntegerField(source="event_count")
    handoff = serializers.SerializerMethodField()

    def get_previous(self, session: Any) -> str | None:
        return session.previous.ref if session.previous else None

    @extend_schema_field(HandoffOut(allow_null=True))
    def get_handoff(self, session: Any) -> Any:
        handoff = getattr(session, "handoff", None)
        return HandoffOut(handoff, context=self.context).data if handoff else None


class ListedOut(SessionOut):
    """`why`: what its open handoff is to the caller, and `unfinished` what is left to do; only with `open`."""

    why = serializers.CharField(required=False)
    unfinished = serializers.ListField(child=serializers.CharField(), required=False)


class OpenItemOut(serializers.Serializer[Any]):
    """A session with an open handoff, as `ListedOut` has it."""

    def to_representation(self, item: Any) -> dict[str, Any]:
        left = item.offer.left
        session = SessionOut(item.session, context=self.context).data
        return {**session, "why": item.offer.why, "unfinished": list(left.unfinished)}


class SessionsOut(serializers.Serializer[Any]):
    results = ListedOut(many=True)


class PointerOut(serializers.Serializer[Any]):
    """What there is, its name, in one line what it says, and how to come by it."""

    kind = serializers.CharField()
    ref = serializers.CharField()
    title = serializers.CharField()
    how = serializers.CharField()


class OrientationOut(serializers.Serializer[Any]):
    text = serializers.CharField()
    tokens = serializers.IntegerField()
    pointers = PointerOut(many=True)


class StartedOut(serializers.Serializer[Any]):
    """`recovered`: the first handoff offered was put together from what its session left. `handoffs`: all that are
    offered, in order; `handoff`: the text of the first one, if `handoff_tokens` asked for it, and `more_handoffs` those
    of others of the same work item.
    """

    session = serializers.CharField(source="session.key")
    ref = serializers.CharField(source="session.ref")
    orientation = OrientationOut()
    recovered = serializers.BooleanField()
    handoffs = OfferOut(many=True, source="offers")
    handoff = serializers.SerializerMethodField()
    more_handoffs = serializers.SerializerMethodField()

    @extend_schema_field(HandoffTextOut(allow_null=True))
    def get_handoff(self, done: Started) -> Any:
        if done.handoff is None:
            return None
        return {"ref": done.offers[0].left.ref, "text": done.handoff.text, "tokens": done.handoff.tokens}

    @extend_schema_field(HandoffTextOut(many=True))
    def get_more_handoffs(self, done: Started) -> Any:
        return [{"ref": ref, "text": one.text, "tokens": one.tokens} for ref, one in done.also]


class CapturedOut(serializers.Serializer[Any]):
    stored = serializers.IntegerField()
    skipped = serializers.IntegerField()
    repeated = serializers.IntegerField()


class HandedOverOut(serializers.Serializer[Any]):
    """`handoff` is null when there was nothing at all to hand over; `promoted`: drafts made of events."""

    session = serializers.CharField(source="session.key")
    state = serializers.CharField(source="session.state")
    handoff = HandoffOut(allow_null=True)
    decisions = DecisionOut(many=True)
    promoted = lines()


class KilledOut(serializers.Serializer[Any]):
    """`handoff` is null if the session left nothing to do; `recovered` is false if it had ended as it should, too."""

    agent_session = serializers.CharField(source="session.agent_session")
    session = serializers.CharField(source="session.key")
    ref = serializers.CharField(source="session.ref")
    recovered = serializers.BooleanField()
    handoff = HandoffOut(allow_null=True)


class ImportedOut(serializers.Serializer[Any]):
    """`passages`: how many of the session's changed, 0 if all were known; `decisions`: what it is known to hold."""

    agent_session = serializers.CharField(source="session.agent_session")
    session = serializers.CharField(source="session.key")
    ref = serializers.CharField(source="session.ref")
    passages = serializers.IntegerField()
    decisions = serializers.IntegerField()
