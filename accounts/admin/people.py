"""Accounts in the Django admin. Forms save through the actions; personal teams and their rows stay out of sight."""

from typing import Any

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from accounts.actions import guard_terms, invitations, members, preferences, tokens, webhooks
from accounts.admin.exports import ExportedAdmin
from accounts.admin.rows import LogRows, MembershipRows, PreferenceRows
from accounts.admin.shown import PlainHeadings, ReadOnly, SharedOnly
from accounts.authentication import PageRequest
from accounts.forms import WebhookForm
from accounts.models import (
    ApiToken,
    Delivery,
    GuardTerm,
    Invitation,
    JobRun,
    LogEntry,
    Membership,
    Preference,
    Team,
    User,
    Webhook,
)
from accounts.rules.preferences import Reach
from accounts.rules.rights import Level, TeamKind

# One login for all, with its rate limits and second factor.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):
    filter_horizontal = ()  # two lists side by side burst the page


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ModelAdmin):
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "email", "is_active", "is_staff", "is_superuser", "last_login", "date_joined")
    list_filter = ("is_active", "is_staff", "is_superuser")
    search_fields = ("username", "email", "first_name", "last_name")
    filter_horizontal = ()

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        members.enrol(user=obj)


LIMITS = ("calls_per_minute", "most_insights")


@admin.register(Team)
class TeamAdmin(PlainHeadings):
    list_display = ("name", "slug", "prefix", "kind", "colour", "last_number", "created_at")
    list_filter = ("kind",)
    search_fields = ("name", "slug", "prefix")
    fields = ("name", "slug", "prefix", "colour")

    def get_fields(self, request: HttpRequest, obj: Team | None = None) -> tuple[str, ...]:
        """How long conversations are kept, and what a team may use, is set once it is there."""
        return (*self.fields, "conversation_days", "second_reviewer", *LIMITS) if obj else self.fields

    def get_readonly_fields(self, request: HttpRequest, obj: Team | None = None) -> tuple[str, ...]:
        """Only the operator sets a team's limits. A second reviewer is set on the team's page, which logs it."""
        return ("second_reviewer",) if request.user.is_superuser else ("second_reviewer", *LIMITS)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        return super().get_queryset(request).exclude(kind=TeamKind.PERSONAL)

    def save_model(self, request: PageRequest, obj: Team, form: Any, change: bool) -> None:
        if change:
            super().save_model(request, obj, form, change)
            return
        made = members.create_team(
            name=obj.name,
            slug=obj.slug,
            prefix=obj.prefix,
            colour=obj.colour,
            by=request.member,
            now=timezone.now(),
        )
        obj.pk = made.pk

    def has_delete_permission(self, request: HttpRequest, obj: Team | None = None) -> bool:
        """A team with insights is kept (they are protected); `everyone` is never deleted."""
        return obj is not None and obj.kind == TeamKind.SHARED and super().has_delete_permission(request, obj)


@admin.register(Membership)
class MembershipAdmin(ExportedAdmin, SharedOnly):
    resource_classes = (MembershipRows,)
    list_display = ("user", "team", "level", "created_at")
    list_filter = ("level", "team")
    search_fields = ("user__username", "team__name", "team__slug")
    autocomplete_fields = ("user", "team")
    list_select_related = ("user", "team")

    def save_model(self, request: PageRequest, obj: Membership, form: Any, change: bool) -> None:
        done = members.set_level(
            team_slug=obj.team.slug,
            username=obj.user.username,
            level=Level(obj.level),
            by=request.member,
            now=timezone.now(),
        )
        obj.pk = done.pk

    def delete_model(self, request: PageRequest, obj: Membership) -> None:
        members.remove_member(
            team_slug=obj.team.slug, username=obj.user.username, by=request.member, now=timezone.now()
        )

    def delete_queryset(self, request: PageRequest, queryset: QuerySet[Membership]) -> None:
        for row in queryset.select_related("team", "user"):
            self.delete_model(request, row)

    def get_readonly_fields(self, request: HttpRequest, obj: Membership | None = None) -> tuple[str, ...]:
        return ("user", "team") if obj else ()


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnly):
    list_display = (
        "name",
        "user",
        "prefix",
        "scopes",
        "expires_at",
        "last_used_at",
        "last_used_from",
        "revoked_at",
    )
    list_filter = ("revoked_at", "expires_at")
    search_fields = ("name", "prefix", "user__username")
    list_select_related = ("user",)
    actions = ("revoke",)

    @admin.action(description="Revoke selected tokens")
    def revoke(self, request: PageRequest, queryset: QuerySet[ApiToken]) -> None:
        for row in queryset:
            tokens.revoke_any(token_id=row.pk, by=request.member, now=timezone.now())


@admin.register(Invitation)
class InvitationAdmin(ReadOnly, SharedOnly):
    """Links into teams. They are made on the team's page, where the link is shown, once."""

    list_display = ("__str__", "team", "level", "max_uses", "expires_at", "revoked_at", "created_by", "created_at")
    list_filter = ("team", "revoked_at", "expires_at")
    search_fields = ("team__slug", "created_by__username", "uses__user__username")
    list_select_related = ("team", "created_by")
    ordering = ("-pk",)
    actions = ("revoke",)

    @admin.action(description="Revoke selected links")
    def revoke(self, request: PageRequest, queryset: QuerySet[Invitation]) -> None:
        for row in queryset.select_related("team"):
            invitations.revoke_invitation(
                team_slug=row.team.slug, invitation_id=row.pk, by=request.member, now=timezone.now()
            )


@admin.register(LogEntry)
class LogEntryAdmin(ExportedAdmin, ReadOnly, SharedOnly):
    resource_classes = (LogRows,)
    list_display = ("at", "team", "actor", "verb", "line")
    list_filter = ("verb", "team")
    search_fields = ("line", "subject", "actor", "why")
    date_hierarchy = "at"
    list_select_related = ("team",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[LogEntry]:
        return super().get_queryset(request).not_withheld()  # type: ignore[attr-defined]


@admin.register(GuardTerm)
class GuardTermAdmin(SharedOnly):
    list_display = ("term", "team", "reason", "added_by", "added_at")
    list_filter = ("team",)
    search_fields = ("term", "reason", "team__slug")
    fields = ("team", "term", "reason")
    autocomplete_fields = ("team",)
    list_select_related = ("team", "added_by")

    def save_model(self, request: PageRequest, obj: GuardTerm, form: Any, change: bool) -> None:
        """The last who vouched for the term stands for it."""
        done, _ = guard_terms.allow_term(
            team=obj.team.slug, term=obj.term, reason=obj.reason, by=request.member, now=timezone.now()
        )
        obj.pk = done.pk

    def delete_model(self, request: PageRequest, obj: GuardTerm) -> None:
        guard_terms.withdraw_term(term_id=obj.pk, by=request.member, now=timezone.now(), reason="moderated")

    def delete_queryset(self, request: PageRequest, queryset: QuerySet[GuardTerm]) -> None:
        for row in queryset:
            self.delete_model(request, row)

    def get_readonly_fields(self, request: HttpRequest, obj: GuardTerm | None = None) -> tuple[str, ...]:
        return ("team", "term") if obj else ()


@admin.register(Preference)
class PreferenceAdmin(ExportedAdmin, SharedOnly):
    """What teams prefer; what a person does is theirs. Forgetting keeps what keeps it from coming back."""

    resource_classes = (PreferenceRows,)
    list_display = ("key", "value", "category", "team", "source", "confidence", "changed_by", "changed_at")
    list_filter = ("team", "category", "source")
    search_fields = ("key", "value", "statement", "team__slug")
    fields = ("team", "key", "value", "category", "statement")
    autocomplete_fields = ("team",)
    list_select_related = ("team", "changed_by")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Preference]:
        return super().get_queryset(request).filter(forgotten_at__isnull=True)

    def get_readonly_fields(self, request: HttpRequest, obj: Preference | None = None) -> tuple[str, ...]:
        return ("team", "key") if obj else ()

    def save_model(self, request: PageRequest, obj: Preference, form: Any, change: bool) -> None:
        said = {name: form.cleaned_data[name] for name in ("value", "category", "statement")}
        by, now = request.member, timezone.now()
        if change:
            preferences.change(preference_id=obj.pk, changes=said, by=by, now=now)
            return
        done, _ = preferences.state(key=obj.key, scope=Reach.TEAM, team=obj.team.slug, by=by, now=now, **said)
        obj.pk = done.id

    def delete_model(self, request: PageRequest, obj: Preference) -> None:
        preferences.forget(preference_id=obj.pk, by=request.member, now=timezone.now())

    def delete_queryset(self, request: PageRequest, queryset: QuerySet[Preference]) -> None:
        for row in queryset:
            self.delete_model(request, row)


@admin.register(Webhook)
class WebhookAdmin(SharedOnly):
    """Who is told outside. The secret is shown once, as the webhook is added."""

    list_display = ("url", "team", "events", "created_by", "created_at")
    list_filter = ("team",)
    search_fields = ("url", "team__slug")
    fields = ("team", "url", "events")
    autocomplete_fields = ("team",)
    list_select_related = ("team", "created_by")
    form = WebhookForm

    def save_model(self, request: PageRequest, obj: Webhook, form: Any, change: bool) -> None:
        done = webhooks.add_webhook(
            team=obj.team.slug, url=obj.url, events=obj.events, by=request.member, now=timezone.now()
        )
        obj.pk = done.webhook.pk
        self.message_user(request, f"Signing secret, shown only once: {done.secret}")

    def has_change_permission(self, request: HttpRequest, obj: Webhook | None = None) -> bool:
        """Another address is another webhook, with a secret of its own."""
        return obj is None and super().has_change_permission(request, obj)

    def delete_model(self, request: PageRequest, obj: Webhook) -> None:
        webhooks.remove_webhook(webhook_id=obj.pk, by=request.member, now=timezone.now())

    def delete_queryset(self, request: PageRequest, queryset: QuerySet[Webhook]) -> None:
        for row in queryset:
            self.delete_model(request, row)


@admin.register(Delivery)
class DeliveryAdmin(ReadOnly, SharedOnly):
    """What is on its way to whom, and how the last attempt ended."""

    team_path = "webhook__team"
    list_display = ("event", "webhook", "due_at", "attempts", "delivered_at", "gave_up_at", "last")
    list_filter = ("event", "delivered_at", "gave_up_at")
    list_select_related = ("webhook",)
    ordering = ("-pk",)


class Latest(admin.SimpleListFilter):
    """Each job once, by its last run: how all of them stand."""

    title = "which"
    parameter_name = "which"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("last", "the last of each job")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() != "last":
            return queryset
        return queryset.filter(pk__in=JobRun.objects.all().latest_of_each().values("pk"))


@admin.register(JobRun)
class JobRunAdmin(ReadOnly):
    """What beat's jobs did, and how the last run of each ended."""

    list_display = ("started_at", "name", "outcome", "took", "counted", "detail")
    list_filter = (Latest, "outcome", "name", "started_at")
    search_fields = ("name", "detail")
    date_hierarchy = "started_at"
    ordering = ("-started_at",)

    @admin.display(description="counts")
    def counted(self, run: JobRun) -> str:
        return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in run.counts.items())

    @admin.display(description="duration")
    def took(self, run: JobRun) -> str:
        return f"{(run.finished_at - run.started_at).total_seconds():.1f} s" if run.finished_at else "–"
