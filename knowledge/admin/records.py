"""Read-only admin pages of what belongs to insights: corroborations, ratings, pairs, terms, receipts."""

from django.contrib import admin

from accounts.admin.exports import ExportedAdmin
from accounts.admin.shown import ReadOnly, SharedOnly
from knowledge.admin.rows import PairRows, SignalRows
from knowledge.admin.shown import ShownOnly
from knowledge.models import (
    BackgroundJob,
    Corroboration,
    EditProposal,
    FormerRef,
    Lexicon,
    Pair,
    Query,
    Receipt,
    Signal,
    Term,
)


@admin.register(FormerRef)
class FormerRefAdmin(ReadOnly, ShownOnly):
    shown_paths = ("insight__",)
    list_display = ("ref", "team", "insight", "at")
    search_fields = ("ref", "insight__ref")
    list_select_related = ("team", "insight")


@admin.register(Lexicon)
class LexiconAdmin(ReadOnly, SharedOnly):
    list_display = ("team", "documents", "length", "pivot")
    list_select_related = ("team",)


@admin.register(Term)
class TermAdmin(ReadOnly, SharedOnly):
    list_display = ("term", "team", "documents")
    list_filter = ("team",)
    search_fields = ("term",)
    list_select_related = ("team",)
    show_full_result_count = False


@admin.register(Receipt)
class ReceiptAdmin(ReadOnly, ShownOnly):
    shown_paths = ("insight__",)
    team_path = "insight__team"
    list_display = ("key", "user", "insight", "outcome", "at")
    search_fields = ("key", "insight__ref")
    list_select_related = ("user", "insight")


@admin.register(Query)
class QueryAdmin(ReadOnly):
    """Questions are their asker's own: an administrator sees that they were asked, not what."""

    list_display = ("id", "user", "at", "abstained")
    fields = list_display
    list_filter = ("abstained", "at")
    list_select_related = ("user",)


@admin.register(BackgroundJob)
class BackgroundJobAdmin(ReadOnly, SharedOnly):
    """Long work that somebody asked for on a page; never what they sent."""

    list_display = ("asked_at", "kind", "name", "team", "asked_by", "state", "done", "total", "finished_at")
    fields = (*list_display, "counts", "skipped", "detail")
    list_filter = ("kind", "state", "team", "asked_at")
    search_fields = ("name", "asked_by__username")
    list_select_related = ("team", "asked_by")


@admin.register(Signal)
class SignalAdmin(ExportedAdmin, ReadOnly, ShownOnly):
    """A rating's question is the team's to know; its vector nobody can read."""

    resource_classes = (SignalRows,)
    shown_paths = ("insight__",)
    team_path = "insight__team"
    list_display = ("at", "insight", "kind", "human", "user", "question", "reason")
    list_filter = ("kind", "human", "insight__team", "at")
    search_fields = ("insight__ref", "question", "reason", "user__username")
    date_hierarchy = "at"
    exclude = ("embedding",)
    list_select_related = ("insight", "user")


@admin.register(Corroboration)
class CorroborationAdmin(ReadOnly, ShownOnly):
    shown_paths = ("insight__", "unmerged_into__")
    team_path = "insight__team"
    list_display = ("at", "insight", "title", "user", "source_type", "similarity", "judged_by", "unmerged_into")
    list_filter = ("source_type", "judged_by", "insight__team", "at")
    search_fields = ("insight__ref", "title", "body", "user__username")
    date_hierarchy = "at"
    list_select_related = ("insight", "user", "unmerged_into")


@admin.register(Pair)
class PairAdmin(ExportedAdmin, ReadOnly, ShownOnly):
    resource_classes = (PairRows,)
    shown_paths = ("a__", "b__")
    team_path = "a__team"
    headings = {"question": "relation"}
    list_display = ("raised_at", "a", "b", "question", "state", "raised_by", "settled_by", "settled_at")
    list_filter = ("state", "question", "a__team", "raised_at")
    search_fields = ("a__ref", "b__ref", "reason", "resolution", "scope")
    date_hierarchy = "raised_at"
    list_select_related = ("a", "b", "settled_by")


@admin.register(EditProposal)
class EditProposalAdmin(ReadOnly, ShownOnly):
    """What was suggested and what became of it; it is decided on its page."""

    shown_paths = ("insight__",)
    list_display = ("proposed_at", "insight", "act", "state", "proposed_by", "settled_by", "settled_at")
    list_filter = ("state", "act", "team", "proposed_at")
    search_fields = ("insight__ref", "note", "proposed_by__username")
    date_hierarchy = "proposed_at"
    list_select_related = ("insight", "proposed_by", "settled_by")
