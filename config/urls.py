"""All URLs: the agents' API, listed in full, and the pages of each app."""

from django.contrib import admin
from django.templatetags.static import static
from django.urls import include, path, re_path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

from accounts.api import GuardTerms, Health, Me, OneGuardTerm, OnePreference, OneWebhook, Preferences, Webhooks
from config import errors
from config.monitoring.health import healthz, readyz
from config.monitoring.metrics import metrics
from knowledge.api.comments import PairComments, ProposalComments
from knowledge.api.insights import (
    Combination,
    Contradictions,
    Corroborations,
    Curation,
    History,
    InsightBatch,
    Insights,
    OneInsight,
    OneTopic,
    Relations,
    Settling,
    TopicMerging,
    TopicNaming,
    Topics,
)
from knowledge.api.moderation import Forgetting, Moving, Provenance, Release, Validation
from knowledge.api.owners import InsightOwning, TopicOwning
from knowledge.api.proposals import Proposals
from knowledge.evidence.api import (
    EvidenceCluster,
    EvidenceClusters,
    EvidenceDeposit,
    EvidenceHistory,
    EvidenceRefresh,
    EvidenceSearch,
    EvidenceSources,
)
from sessions_app.api import (
    Ack,
    Annotations,
    Checkpoint,
    Claims,
    CodeIndexes,
    ConversationView,
    DepositQuestion,
    End,
    Events,
    ForgetConversation,
    Friction,
    ImportPast,
    OneAnnotation,
    OneSession,
    QueryView,
    RatingsView,
    Recover,
    Sessions,
    Sharing,
    Surface,
    WhyNot,
)
from skills.api import Distillation, Export, OneSkill, Owning, Publishing, Skills, Versions

COMBINING = ("supersede", "reinstate", "merge", "unmerge")
CURATING = ("promote", "deprecate", "restore", "pin", "unpin")

api = [
    path("health/", Health.as_view(), name="health"),
    path("me/", Me.as_view(), name="me"),
    path("guard-terms/", GuardTerms.as_view(), name="guard-terms"),
    path("guard-terms/<int:term_id>/", OneGuardTerm.as_view(), name="guard-term"),
    path("webhooks/", Webhooks.as_view(), name="webhooks"),
    path("webhooks/<int:webhook_id>/", OneWebhook.as_view(), name="webhook"),
    path("insights/", Insights.as_view(), name="insights"),
    path("insights/batch/", InsightBatch.as_view(), name="insight-batch"),
    path("insights/<str:ref>/", OneInsight.as_view(), name="insight"),
    path("insights/<str:ref>/relations/", Relations.as_view(), name="insight-relations"),
    path("insights/<str:ref>/proposals/", Proposals.as_view(), name="insight-proposals"),
    path(
        "insights/<str:ref>/proposals/<int:proposal_id>/comments/",
        ProposalComments.as_view(),
        name="insight-proposal-comments",
    ),
    path("insights/<str:ref>/history/", History.as_view(), name="insight-history"),
    *(path(f"insights/<str:ref>/{verb}/", Curation.as_view(verb=verb), name=f"insight-{verb}") for verb in CURATING),
    path("insights/<str:ref>/corroborations/", Corroborations.as_view(), name="insight-corroborations"),
    *(
        path(f"insights/<str:ref>/{verb}/", Combination.as_view(verb=verb), name=f"insight-{verb}")
        for verb in COMBINING
    ),
    path("insights/<str:ref>/owner/", InsightOwning.as_view(), name="insight-owner"),
    path("insights/<str:ref>/forget/", Forgetting.as_view(), name="insight-forget"),
    path("insights/<str:ref>/validate/", Validation.as_view(), name="insight-validate"),
    path("insights/<str:ref>/move/", Moving.as_view(), name="insight-move"),
    path("insights/<str:ref>/release/", Release.as_view(), name="insight-release"),
    path("provenance/", Provenance.as_view(), name="provenance"),
    path("ratings/", RatingsView.as_view(), name="ratings"),
    path("contradictions/", Contradictions.as_view(), name="contradictions"),
    *(
        path(f"contradictions/<int:pair_id>/{verb}/", Settling.as_view(verb=verb), name=f"contradiction-{verb}")
        for verb in ("resolve", "dismiss")
    ),
    path("contradictions/<int:pair_id>/comments/", PairComments.as_view(), name="contradiction-comments"),
    path("preferences/", Preferences.as_view(), name="preferences"),
    path("preferences/<int:preference_id>/", OnePreference.as_view(), name="preference"),
    path("topics/", Topics.as_view(), name="topics"),
    path("topics/<uuid:topic_id>/", OneTopic.as_view(), name="topic"),
    path("topics/<uuid:topic_id>/owner/", TopicOwning.as_view(), name="topic-owner"),
    path("topics/<uuid:topic_id>/rename/", TopicNaming.as_view(), name="topic-rename"),
    path("topics/<uuid:topic_id>/merge/", TopicMerging.as_view(), name="topic-merge"),
    path("topics/<uuid:topic_id>/distil/", Distillation.as_view(), name="topic-distil"),
    path("skills/", Skills.as_view(), name="skills"),
    path("skills/<str:name>/", OneSkill.as_view(), name="skill"),
    *(
        path(f"skills/<str:name>/{verb}/", Publishing.as_view(verb=verb), name=f"skill-{verb}")
        for verb in ("publish", "retire")
    ),
    path("skills/<str:name>/owner/", Owning.as_view(), name="skill-owner"),
    path("skills/<str:name>/versions/", Versions.as_view(), name="skill-versions"),
    path("skills/<str:name>/export/", Export.as_view(), name="skill-export"),
    path("query/", QueryView.as_view(), name="query"),
    path("query/<uuid:query_id>/why-not/", WhyNot.as_view(), name="why-not"),
    path("surface/", Surface.as_view(), name="surface"),
    path("sessions/", Sessions.as_view(), name="sessions"),
    path("sessions/import/", ImportPast.as_view(), name="session-import"),
    path("sessions/recover/", Recover.as_view(), name="session-recover"),
    path("sessions/sharing/", Sharing.as_view(), name="session-sharing"),
    path("sessions/<str:session_id>/", OneSession.as_view(), name="session"),
    path("sessions/<str:session_id>/events/", Events.as_view(), name="session-events"),
    path("sessions/<str:session_id>/checkpoint/", Checkpoint.as_view(), name="session-checkpoint"),
    path("sessions/<str:session_id>/deposit-question/", DepositQuestion.as_view(), name="session-deposit-question"),
    path("sessions/<str:session_id>/end/", End.as_view(), name="session-end"),
    path("sessions/<str:session_id>/claims/", Claims.as_view(), name="session-claims"),
    path("sessions/<str:session_id>/conversation/", ConversationView.as_view(), name="session-conversation"),
    path("sessions/<str:session_id>/forget/", ForgetConversation.as_view(), name="session-forget"),
    path("sessions/<str:session_id>/ack/", Ack.as_view(), name="session-ack"),
    path("annotations/", Annotations.as_view(), name="annotations"),
    path("annotations/<int:annotation_id>/", OneAnnotation.as_view(), name="annotation"),
    path("friction/", Friction.as_view(), name="friction"),
    path("code-index/", CodeIndexes.as_view(), name="code-index"),
    path("evidence/search/", EvidenceSearch.as_view(), name="evidence-search"),
    path("evidence/history/", EvidenceHistory.as_view(), name="evidence-history"),
    path("evidence/sources/", EvidenceSources.as_view(), name="evidence-sources"),
    path("evidence/clusters/", EvidenceClusters.as_view(), name="evidence-clusters"),
    path("evidence/clusters/<str:cluster>/", EvidenceCluster.as_view(), name="evidence-cluster"),
    path("evidence/clusters/<str:cluster>/refresh/", EvidenceRefresh.as_view(), name="evidence-refresh"),
    path("evidence/clusters/<str:cluster>/deposit/", EvidenceDeposit.as_view(), name="evidence-deposit"),
    path("schema/", SpectacularJSONAPIView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="api:schema"), name="docs"),
    re_path(r"^.*$", errors.no_such_endpoint),
]

urlpatterns = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("metrics", metrics),
    # Browsers request it beside responses that name no icon: a downloaded file, a JSON answer.
    path("favicon.ico", RedirectView.as_view(url=static("img/mark.svg"))),
    path("api/v1/", include((api, "api"))),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("", include("accounts.urls")),
    path("", include("knowledge.urls")),
    path("", include("knowledge.evidence.urls")),
    path("", include("skills.urls")),
    path("", include("sessions_app.urls")),
]

handler400 = errors.handler400
handler403 = errors.handler403
handler404 = errors.handler404
handler500 = errors.handler500
