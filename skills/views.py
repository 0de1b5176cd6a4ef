"""Pages of what the team teaches."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.authentication import PageRequest
from accounts.models import LogEntry
from accounts.rules.refused import Stale
from accounts.rules.rights import Level, Member
from skills.actions import author, transfer
from skills.actions.rehearse import rehearse
from skills.forms import PublishForm, SkillForm, SkillImportForm, SkillListForm, led
from skills.models import Skill, SkillUse, SkillVersion
from skills.rules.comparison import difference

# A screenful; a team has tens of skills.
A_PAGE = 30
# What a page shows of a long history; the API gives all of it.
LINES, VERSIONS = 50, 20


@login_required
@require_GET
def skills(request: PageRequest) -> HttpResponse:
    """The skills of one's teams, with how often each was served."""
    form = SkillListForm(request.GET, member=request.member)
    asked = form.cleaned_data if form.is_valid() else {"q": "", "status": "", "team": ""}
    rows = Skill.objects.visible_to(request.member).of_team(asked["team"]).with_status(asked["status"])
    found = rows.with_words(asked["q"]).whole().counted(SkillUse.objects.all()).order_by("-updated_at", "-pk")
    page = Paginator(found, A_PAGE).get_page(request.GET.get("page"))
    may_write = bool(led(request.member))
    context = {
        "form": form,
        "page": page,
        "narrowed": any(asked.values()),
        "may_write": may_write,
        "import_form": SkillImportForm(member=request.member, auto_id="import_%s") if may_write else None,
    }
    return render(request, "skills/skill_list.html", context)


@login_required
@require_GET
def skill(request: PageRequest, team: str, name: str) -> HttpResponse:
    """One skill: what it says, what agents get of it, its versions and what changed between them."""
    return render(request, "skills/skill_detail.html", _context(request, _visible_skill(request, team, name)))


def _context(request: PageRequest, row: Skill) -> dict[str, Any]:
    versions = list(SkillVersion.objects.filter(skill=row).by_number().prefetch_related("triggers")[: VERSIONS + 1])
    before = [*versions[1:], None]
    log = LogEntry.objects.visible_to(request.member).filter(team_id=row.team_id)
    return {
        "skill": row,
        "version": row.latest,
        "triggers": row.latest.called_by,
        "versions": [(one, _changes(one, old)) for one, old in zip(versions, before, strict=True)][:VERSIONS],
        "ahead": row.ahead and row.live and _changes(row.ahead, row.live),
        "history": log.about(row.subject)[:LINES],
        "may_lead": request.member.may(row.team_id, Level.LEAD),
    }


@login_required
@require_http_methods(["GET", "POST"])
def new(request: PageRequest) -> HttpResponse:
    """Write a skill; of a name that is taken, both are shown. A preview and a trial of its triggers store nothing."""
    form = SkillForm(request.POST or None, member=request.member)
    act = request.POST.get("act", "")
    if act in TRIALS:
        return _trial(request, form, act)
    if form.is_valid():
        team = form.cleaned_data["team"]
        done = form.attempt(author.create, sheet=form.sheet(), team=team, by=request.member, now=timezone.now())
        if done and done.created:
            messages.success(request, f"{done.skill.name} created. Agents get it when you publish it.")
            return redirect("skills:skill", team=team, name=done.skill.name)
        if done:
            there = Skill.objects.visible_to(request.member).whole().get(pk=done.skill.pk)
            names = ("existing", "your input")
            context = {"there": there, "differs": difference(there.latest.sheet, form.sheet(), names=names)}
            return render(request, "skills/skill_edit.html", {"form": form, **context})
    return render(request, "skills/skill_edit.html", {"form": form})


@login_required
@require_http_methods(["GET", "POST"])
def edit(request: PageRequest, team: str, name: str) -> HttpResponse:
    """Change a skill as it was when the form was made; what changed meanwhile is shown, and no typing is lost."""
    row = _visible_skill(request, team, name)
    request.member.require(row.team_id, Level.LEAD)
    form = SkillForm(request.POST, member=request.member, skill=row) if request.POST else None
    act = request.POST.get("act", "")
    if form and act in TRIALS:
        return _trial(request, form, act)
    context: dict[str, Any] = {"skill": row, "form": form or SkillForm.of(row, request.member)}
    if form and form.is_valid():
        sent = {"changes": form.changes(), "revision": form.cleaned_data["revision"], "why": form.cleaned_data["why"]}
        try:
            done = form.attempt(author.edit, name=name, team=team, by=request.member, now=timezone.now(), **sent)
        except Stale:
            now = _visible_skill(request, team, name)
            form = form.on_top_of(now, request.member)
            context |= {"skill": now, "form": form, "line": _last(now, request.member)}
            context["conflict"] = difference(now.latest.sheet, form.sheet(), names=("current", "your input"))
            return render(request, "skills/skill_edit.html", context)
        if done:
            messages.success(request, f"{done.skill.name} saved. Agents get it when it is published.")
            return redirect("skills:skill", team=team, name=done.skill.name)
    return render(request, "skills/skill_edit.html", context)


@login_required
@require_POST
def published(request: PageRequest, team: str, name: str, verb: str) -> HttpResponse:
    """publish or retire; which one is set by the address. What changed since it was read is shown first."""
    form = PublishForm(request.POST)
    act = {"publish": author.publish, "retire": author.retire}[verb]
    if not form.is_valid():
        _visible_skill(request, team, name)
        messages.error(request, "Not saved: the reason is longer than 1,000 characters.")
        return redirect("skills:skill", team=team, name=name)
    form.send(act, name=name, team=team, by=request.member, now=timezone.now())
    if form.stale:
        row = _visible_skill(request, team, name)
        context = _context(request, row) | {"late": verb, "why": form.cleaned_data["why"]}
        context["lines"] = _since(row, form.cleaned_data["revision"], context["history"])
        return render(request, "skills/skill_detail.html", context, status=412)
    said = {"publish": "published. Agents get it from now on", "retire": "retired. Agents no longer get it"}
    messages.success(request, f"{name} {said[verb]}.")
    return redirect("skills:skill", team=team, name=name)


@login_required
@require_GET
def export(request: PageRequest, team: str, name: str) -> HttpResponse:
    """A zip archive: what agents get, or of a draft what is being written."""
    called, data = transfer.export_zip(name=name, team=team, by=request.member)
    headers = {"Content-Disposition": f'attachment; filename="{called}.zip"', "X-Content-Type-Options": "nosniff"}
    return HttpResponse(data, content_type="application/zip", headers=headers)


@login_required
@require_http_methods(["GET", "POST"])
def imported(request: PageRequest) -> HttpResponse:
    """Take skills in from an archive, and say what became of each."""
    form = SkillImportForm(request.POST or None, request.FILES or None, member=request.member)
    arrived = None
    if form.is_valid():
        sent = {"data": form.data_of_file(), "team": form.cleaned_data["team"], "live": form.cleaned_data["live"]}
        arrived = form.attempt(transfer.import_zip, by=request.member, now=timezone.now(), **sent)
    context = {"form": form, "arrived": arrived, "team": form.data.get("team", "")}
    return render(request, "skills/skill_import.html", context)


TRIALS = {"preview": "skills/_skill_preview.html", "try": "skills/_skill_trial.html"}


def _trial(request: PageRequest, form: SkillForm, act: str) -> HttpResponse:
    """The editor as it was typed, with what was asked for beside it; HTMX gets that part alone."""
    sheet = form.sheet()
    context: dict[str, Any] = {"form": form, "skill": form.skill, "preview": sheet.instructions}
    if act == "try":
        question = request.POST.get("question", "").strip()[:2_000]
        context["question"] = question
        context["rehearsal"] = rehearse(sheet=sheet, by=request.member, question=question)
    return render(request, TRIALS[act] if request.htmx else "skills/skill_edit.html", context)


def _last(row: Skill, member: Member) -> LogEntry | None:
    """The last that happened to it, and who did it."""
    return LogEntry.objects.visible_to(member).filter(team_id=row.team_id).about(row.subject).first()


def _visible_skill(request: PageRequest, team: str, name: str) -> Skill:
    found = Skill.objects.all().one_named(name, team, request.member)
    row: Skill = Skill.objects.all().whole().counted(SkillUse.objects.all()).get(pk=found.pk)
    return row


def _since(row: Skill, revision: int, history: Any) -> list[LogEntry]:
    """What happened to it since a revision, the oldest first: each revision has left a line."""
    return list(history[: max(min(row.revision - revision, LINES), 1)])[::-1]


def _changes(version: SkillVersion, before: SkillVersion | None) -> str:
    names = (f"version {before.number}" if before else "nothing", f"version {version.number}")
    return difference(before.sheet if before else None, version.sheet, names=names)
