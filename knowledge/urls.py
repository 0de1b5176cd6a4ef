"""Pages."""

from django.urls import path

from knowledge.views import (
    background_jobs,
    comments,
    gallery,
    inbox,
    inbox_states,
    insight_acts,
    insights,
    item,
    proposals,
    recent_actions,
    saved,
    standings,
    table,
    topics,
    vault_conflicts,
    writing,
)

CURATING = ("promote", "deprecate", "leave", "restore", "pin", "unpin")
COMBINING = ("merge", "supersede", "reinstate")
DECIDING = ("approve", "reject", "request-changes", "comment", "withdraw")
MORE = ("validate", "move", "rate", "revert", "owner")

app_name = "knowledge"
urlpatterns = [
    path("", inbox.inbox, name="inbox"),
    path("contradictions/", inbox.inbox, {"tab": "contradictions"}, name="contradictions"),
    path("duplicates/", inbox.inbox, {"tab": "duplicates"}, name="duplicates"),
    path("inbox/counts/", inbox.counts, name="counts"),
    path("inbox/plan/", inbox.plan, name="plan"),
    path("inbox/act/", inbox.act, name="act"),
    path("inbox/undo/", inbox.undo, name="undo"),
    path("inbox/snooze/", inbox_states.snooze, name="snooze"),
    path("inbox/unsnooze/", inbox_states.unsnooze, name="unsnooze"),
    path("inbox/assign/", inbox_states.assign, name="assign"),
    path("components/", gallery.gallery, name="components"),
    path("actions/", recent_actions.recent, name="actions"),
    path("standing/", standings.standings, name="standings"),
    path("standing/restore/", standings.restore, name="standing-restore"),
    path("pairs/settle/", inbox.settle_many, name="settle-many"),
    path("pairs/<int:pair_id>/", inbox.settled, name="settle"),
    path("pairs/<int:pair_id>/merge/", writing.merge_pair, name="pair-merge"),
    path("pairs/<int:pair_id>/comment/", comments.on_pair, name="pair-comment"),
    path("pairs/<int:pair_id>/mentions/read/", comments.read_on_pair, name="pair-mentions-read"),
    path("conflicts/<int:conflict_id>/", vault_conflicts.settled, name="conflict"),
    path("conflicts/<int:conflict_id>/edit/", vault_conflicts.edit, name="conflict-edit"),
    path("proposals/<int:proposal_id>/", proposals.proposal, name="proposal"),
    path("proposals/<int:proposal_id>/item/", proposals.panel, name="proposal-item"),
    path("proposals/<int:proposal_id>/replay/", background_jobs.replay, name="proposal-replay"),
    path("proposals/<int:proposal_id>/edit/", proposals.edit_and_approve, name="proposal-edit"),
    path("proposals/<int:proposal_id>/mentions/read/", proposals.mentions_read, name="proposal-mentions-read"),
    *(
        path(f"proposals/<int:proposal_id>/{verb}/", proposals.decided, {"verb": verb}, name=f"proposal-{verb}")
        for verb in DECIDING
    ),
    path("filters/", saved.save, name="filter-save"),
    path("filters/<int:filter_id>/delete/", saved.delete, name="filter-delete"),
    path("insights/", insights.insights, name="insights"),
    path("insights/new/", writing.new, name="new"),
    path("insights/export/", table.export, name="export"),
    path("insights/bulk-edit/", table.edit_many, name="edit-many"),
    path("insights/import/", background_jobs.bring_in, name="bring-in"),
    path("jobs/<int:job_id>/", background_jobs.job, name="job"),
    path("jobs/<int:job_id>/stop/", background_jobs.stop, name="job-stop"),
    path("insights/<str:ref>/", insights.insight, name="insight"),
    path("insights/<str:ref>/edit/", insights.edit, name="edit"),
    path("insights/<str:ref>/propose/", proposals.propose, name="propose"),
    path("insights/<str:ref>/row/", insights.row, name="row"),
    path("insights/<str:ref>/inline/", insights.inline, name="inline"),
    path("insights/<str:ref>/item/", item.insight, name="item"),
    path("pairs/<int:pair_id>/item/", item.pair, name="pair-item"),
    path("conflicts/<int:conflict_id>/item/", item.conflict, name="conflict-item"),
    path("insights/<str:ref>/near/", inbox.near, name="near"),
    *(path(f"insights/<str:ref>/{verb}/", insight_acts.curated, {"verb": verb}, name=verb) for verb in CURATING),
    *(path(f"insights/<str:ref>/{verb}/", insight_acts.combined, {"verb": verb}, name=verb) for verb in COMBINING),
    *(path(f"insights/<str:ref>/{verb}/", getattr(insight_acts, verb), name=verb) for verb in MORE),
    path("insights/<str:ref>/unmerge/<int:corroboration>/", insight_acts.unmerge, name="unmerge"),
    path("insights/<str:ref>/accept/<int:corroboration>/", insight_acts.accept_retelling, name="accept-retelling"),
    path("pairs/<int:pair_id>/accept/", insight_acts.accept_link, name="accept-link"),
    path("topics/", topics.topics, name="topics"),
    path("topics/regroup/", background_jobs.regroup, name="regroup"),
    path("topics/<uuid:topic_id>/", topics.topic, name="topic"),
    path("topics/<uuid:topic_id>/rename/", topics.rename, name="topic-rename"),
    path("topics/<uuid:topic_id>/owner/", topics.own, name="topic-owner"),
    path("topics/<uuid:topic_id>/merge/", topics.merge, name="topic-merge"),
]
