"""The admin's menu: models grouped by task, with plain names."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

# Group → (model, name, icon of Material Symbols). A test finds registered models that are missing here.
MENU: tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...] = (
    (
        "Moderation",
        (
            ("knowledge.insight", "Insights", "lightbulb"),
            ("knowledge.quarantined", "Quarantined", "shield_lock"),
            ("knowledge.pair", "Contradictions and duplicates", "compare_arrows"),
            ("knowledge.editproposal", "Suggested edits", "rate_review"),
            ("knowledge.topic", "Topics", "bubble_chart"),
            ("knowledge.forgotten", "Forgotten", "delete"),
        ),
    ),
    (
        "Skills",
        (
            ("skills.skill", "Skills", "school"),
            ("skills.skillversion", "Versions", "history_edu"),
            ("skills.trigger", "Triggers", "bolt"),
            ("skills.skilluse", "Uses", "monitoring"),
        ),
    ),
    (
        "People",
        (
            ("accounts.user", "Accounts", "person"),
            ("accounts.team", "Teams", "groups"),
            ("accounts.membership", "Memberships", "badge"),
            ("accounts.invitation", "Invitations", "mail"),
            ("accounts.apitoken", "Tokens", "key"),
            ("accounts.preference", "Preferences", "tune"),
            ("accounts.guardterm", "Secret allowlist", "verified_user"),
            ("account.emailaddress", "Email addresses", "alternate_email"),
            ("mfa.authenticator", "Authenticators", "phonelink_lock"),
        ),
    ),
    (
        "Agents",
        (
            ("sessions_app.agentsession", "Sessions", "terminal"),
            ("sessions_app.handoff", "Handoffs", "forward_to_inbox"),
            ("sessions_app.sessionevent", "Events", "list"),
            ("sessions_app.claim", "Claims", "lock"),
            ("sessions_app.sessionsharing", "Shared conversations", "share"),
        ),
    ),
    (
        "Evidence",
        (
            ("evidence.source", "Evidence sources", "folder_open"),
            ("evidence.knowledgecluster", "Saved answers", "hub"),
            ("evidence.search", "Searches", "search"),
            ("evidence.modelcall", "Model calls", "smart_toy"),
        ),
    ),
    (
        "Operations",
        (
            ("accounts.logentry", "Log", "receipt_long"),
            ("accounts.jobrun", "Job runs", "task_alt"),
            ("knowledge.backgroundjob", "Background jobs", "pending_actions"),
            ("django_celery_beat.periodictask", "Schedules", "schedule"),
            ("accounts.webhook", "Webhooks", "webhook"),
            ("accounts.delivery", "Deliveries", "local_shipping"),
        ),
    ),
    (
        "Internals",
        (
            ("knowledge.query", "Questions", "help"),
            ("sessions_app.passage", "Passages of conversations", "forum"),
            ("knowledge.signal", "Ratings", "thumbs_up_down"),
            ("knowledge.corroboration", "Corroborations", "record_voice_over"),
            ("knowledge.receipt", "Receipts", "receipt"),
            ("knowledge.formerref", "Former references", "link_off"),
            ("knowledge.lexicon", "Word counts", "dictionary"),
            ("knowledge.term", "Words", "abc"),
            ("django_celery_beat.crontabschedule", "Crontabs", "event_repeat"),
            ("django_celery_beat.intervalschedule", "Intervals", "timer"),
            ("django_celery_beat.clockedschedule", "Clocked schedules", "alarm"),
            ("django_celery_beat.solarschedule", "Solar events", "wb_twilight"),
            ("auth.group", "Groups", "group_work"),
            ("skills.resource", "Resources of skills", "attach_file"),
            ("evidence.document", "Documents of evidence", "description"),
            ("sessions_app.codeindex", "Code indexes", "account_tree"),
        ),
    ),
)


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the menu in the form that Unfold takes, with what this account may see."""
    seen = {
        model._meta.label_lower: reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        for model, its in admin.site._registry.items()
        if its.has_view_permission(request)
    }
    groups: list[dict[str, Any]] = [
        {"title": "", "items": [{"title": "Overview", "icon": "home", "link": reverse("admin:index")}]}
    ]
    for title, rows in MENU:
        items = [{"title": name, "icon": icon, "link": seen[label]} for label, name, icon in rows if label in seen]
        if items:
            groups.append({"title": title, "items": items, "separator": True, "collapsible": title == "Internals"})
    return groups
