"""Models of libraries in the admin, in the clothes of ours: the clock, addresses, second factors."""

from typing import Any

from allauth.account.admin import EmailAddressAdmin as AllauthEmailAddressAdmin
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.http import HttpRequest
from django_celery_beat import admin as beat
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule
from unfold.admin import ModelAdmin, TabularInline
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from accounts.admin.shown import ReadOnly

for model in (
    *(EmailAddress, Authenticator),
    *(ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule),
):
    admin.site.unregister(model)


@admin.register(EmailAddress)
class EmailAddressAdmin(AllauthEmailAddressAdmin, ModelAdmin):
    pass


@admin.register(Authenticator)
class AuthenticatorAdmin(ReadOnly):
    """That somebody has a second factor, and since when. What it is made of opens their account, so nobody sees it;
    taking one away is how somebody who has lost their phone gets in again.
    """

    list_display = ("user", "type", "created_at", "last_used_at")
    fields = list_display
    list_filter = ("type", "created_at", "last_used_at")
    list_select_related = ("user",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)


class TaskChoice(UnfoldAdminSelectWidget, beat.TaskSelectWidget):
    """The tasks the worker knows."""


class PeriodicTaskForm(beat.PeriodicTaskForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["task"].widget = UnfoldAdminTextInputWidget()
        self.fields["regtask"].widget = TaskChoice()


@admin.register(PeriodicTask)
class PeriodicTaskAdmin(beat.PeriodicTaskAdmin, ModelAdmin):
    form = PeriodicTaskForm
    list_display = ("name", "enabled", "scheduler", "last_run_at")


class TasksOfIt(beat.PeriodicTaskInline, TabularInline):
    pass


@admin.register(CrontabSchedule)
class CrontabScheduleAdmin(beat.CrontabScheduleAdmin, ModelAdmin):
    inlines = (TasksOfIt,)


@admin.register(IntervalSchedule)
class IntervalScheduleAdmin(beat.IntervalScheduleAdmin, ModelAdmin):
    inlines = (TasksOfIt,)


@admin.register(ClockedSchedule)
class ClockedScheduleAdmin(beat.ClockedScheduleAdmin, ModelAdmin):
    inlines = (TasksOfIt,)


@admin.register(SolarSchedule)
class SolarScheduleAdmin(beat.SolarScheduleAdmin, ModelAdmin):
    inlines = (TasksOfIt,)
