"""The pages of skills."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from accounts.authentication import PageRequest
from accounts.models import LogEntry
from accounts.rules.refused import Stale
from accounts.rules.rights import Level, Member
from accounts.views.confirmation import ask_to_confirm
from knowledge.forms.insights import OwnerForm
from knowledge.review.actions.export_table import exported_rows
from knowledge.review.rules.saved_filters import Listing
from knowledge.views import notices, saved
from knowledge.views.listing import csv_file, require_valid, table_page
from knowledge.views.owners import owner_choices
from skills.actions import author, transfer
from skills.actions.distil import distil
from skills.actions.export_table import SKILLS as EXPORTED
from skills.actions.owner import set_owner
from skills.actions.rehearse import rehearse
from skills.actions.restore import restore, version_of
from skills.actions.undo import OWNER, SkillBefore
from skills.forms import PublishForm, SkillForm, SkillImportForm, SkillListForm, led
from skills.models import Skill, SkillUse, SkillVersion, Trigger
from skills.rules.comparison import difference
from skills.rules.skill_table import SKILLS

# Frequent filters, as links.
QUICK = (("Published", "status=published"), ("Never served", "used=never"), ("Drafts", "status=draft"))
# The most log lines and versions on a page; the API returns all.
LINES, VERSIONS = 50, 20


@login_required
@require_GET
@vary_on_headers("HX-Request")
def skills(request: PageRequest) -> HttpResponse:
    """The list of skills of the member's teams, with how often each was served."""
    form = SkillListForm(request.GET, member=request.member)
    may_write = bool(led(request.member))
    context: dict[str, Any] = {
        "form": form,
        "here": request.get_full_path(),
        "may_write": may_write,
        "import_form": SkillImportForm(member=request.member, auto_id="import_%s") if may_write else None,
        **saved.bar(request, Listing.SKILLS),
    }
    if form.is_valid():
        found = _narrowed(request.member, form.cleaned_data)
        every = Skill.objects.visible_to(request.member).whole().counted(SkillUse.objects.all())
        context |= table_page(request, SKILLS, found, every)
        mine = ("Mine", urlencode({"owner": request.member.username}))
        context |= {"narrowed": any(form.cleaned_data.values()), "quick": (*QUICK, mine)}
        for row in context["rows"]:
            row.at = f"{row.team.slug}/{row.name}"
        at = request.GET.get("at", "")
        chosen = next((row for row in context["rows"] if row.at == at), next(iter(context["rows"]), None))
        context |= _context(request, chosen) if chosen else {}
    part = request.htmx and not request.htmx.history_restore_request
    return render(request, "skills/_skill_results.html" if part else "skills/skill_list.html", context)


@login_required
@never_cache
@require_GET
def panel(request: PageRequest, team: str, name: str) -> HttpResponse:
    """The skill in the panel beside the list; without HTMX, its page."""
    row = _visible_skill(request, team, name)
    if not request.htmx:
        return redirect("skills:skill", team=row.team.slug, name=row.name)
    here = notices.own_path(request.GET.get("back", "")[:4_000], otherwise=reverse("skills:skills"))
    return render(request, "skills/_item_skill.html", _context(request, row) | {"here": here})


@login_required
@require_GET
def table(request: PageRequest) -> HttpResponseBase:
    """Return a CSV file of the filtered skills. Raises BadFilters."""
    form = SkillListForm(request.GET, member=request.member)
    require_valid(form)
    rows = _narrowed(request.member, form.cleaned_data).whole().order_by("team__slug", "name")
    return csv_file("skills", exported_rows(EXPORTED, rows, by=request.member, now=timezone.now()))


def _narrowed(member: Member, asked: dict[str, str]) -> Any:
    rows = Skill.objects.visible_to(member).of_team(asked["team"]).with_status(asked["status"])
    rows = rows.called_by(asked["trigger"], Trigger.objects.all()).with_use(asked["used"], SkillUse.objects.all())
    rows = rows.filter(author__username=asked["author"]) if asked["author"] else rows
    rows = rows.filter(owner__username=asked["owner"]) if asked["owner"] else rows
    return rows.with_words(asked["q"]).counted(SkillUse.objects.all())


@login_required
@require_GET
def skill(request: PageRequest, team: str, name: str) -> HttpResponse:
    """One skill: its text, the live version, its versions and their changes."""
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
        **owner_choices(request.member, row.team_id, row.owner_id),
        "owner_url": reverse("skills:owner", args=[row.team.slug, row.name]),
    }


@login_required
@require_http_methods(["GET", "POST"])
def new(request: PageRequest) -> HttpResponse:
    """Write a skill. If the name is taken, both are shown. A preview and a trial of its triggers store nothing."""
    form = SkillForm(request.POST or None, member=request.member)
    act = request.POST.get("act", "")
    if act in TRIALS:
        return _trial(request, form, act)
    if form.is_valid():
        team = form.cleaned_data["team"]
        done = form.attempt(author.create, sheet=form.sheet(), team=team, by=request.member, now=timezone.now())
        if done and done.created:
            notices.listed(request, f"{done.skill.name} created. Agents get it when you publish it.")
            return redirect("skills:skill", team=team, name=done.skill.name)
        if done:
            there = Skill.objects.visible_to(request.member).whole().get(pk=done.skill.pk)
            names = ("existing", "your input")
            context = {"there": there, "differs": difference(there.latest.sheet, form.sheet(), names=names)}
            return render(request, "skills/skill_edit.html", {"form": form, **context})
    return render(request, "skills/skill_edit.html", {"form": form})


@login_required
@require_POST
def distilled(request: PageRequest, topic_id: UUID) -> HttpResponse:
    """Draft a skill from a topic's promoted insights, and open it for editing; if it was distilled before, open that
    one.
    """
    done = distil(topic_id=topic_id, by=request.member, now=timezone.now())
    words = "drafted" if done.created else "was distilled before; this is its current text"
    notices.listed(request, f"{done.skill.name} {words}. Agents get it when you publish it.")
    return redirect("skills:edit", team=done.skill.team.slug, name=done.skill.name)


@login_required
@require_http_methods(["GET", "POST"])
def edit(request: PageRequest, team: str, name: str) -> HttpResponse:
    """Edit a skill at the revision the form was made from. Changes since then are shown, and nothing that was typed is
    lost.
    """
    row = _visible_skill(request, team, name)
    request.member.require(row.team_id, Level.LEAD)
    before = SkillBefore.of(row)
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
            steps = before.steps(done.skill)
            notices.undoable(request, f"{done.skill.name} saved. Agents get it when it is published.", steps)
            return redirect("skills:skill", team=team, name=done.skill.name)
    return render(request, "skills/skill_edit.html", context)


@login_required
@require_POST
def published(request: PageRequest, team: str, name: str, verb: str) -> HttpResponse:
    """Publish or retire a skill; the URL says which. Changes since it was read are shown first."""
    form = PublishForm(request.POST)
    act = {"publish": author.publish, "retire": author.retire}[verb]
    if not form.is_valid():
        _visible_skill(request, team, name)
        messages.error(request, "Not saved: the reason is longer than 1,000 characters.")
        return redirect("skills:skill", team=team, name=name)
    if verb == "retire":
        asked = _asked_to_retire(request, _visible_skill(request, team, name))
        if asked:
            return asked
    before = SkillBefore.of(_visible_skill(request, team, name))
    done = form.send(act, name=name, team=team, by=request.member, now=timezone.now())
    if form.stale:
        row = _visible_skill(request, team, name)
        context = _context(request, row) | {"late": verb, "why": form.cleaned_data["why"]}
        context["lines"] = _since(row, form.cleaned_data["revision"], context["history"])
        return render(request, "skills/skill_detail.html", context, status=412)
    said = {"publish": "published. Agents get it from now on", "retire": "retired. Agents no longer get it"}
    notices.undoable(request, f"{name} {said[verb]}.", before.steps(done) if done else [])
    # A decision in the list returns to the list.
    return notices.back(request.POST.get("back", "")[:4_000], otherwise=reverse("skills:skill", args=[team, name]))


@login_required
@require_POST
def owned(request: PageRequest, team: str, name: str) -> HttpResponse:
    """Set who answers for it."""
    row = _visible_skill(request, team, name)
    was = row.owner.username if row.owner else ""
    form = OwnerForm(request.POST)
    sent = {"name": name, "team": team, "by": request.member, "now": timezone.now()}
    done = form.attempt(set_owner, **form.cleaned_data, **sent) if form.is_valid() else None
    if done:
        said = f"is owned by {done.owner.username}" if done.owner else "has no owner"
        notices.undoable(request, f"{name} {said}.", [[OWNER, row.pk, form.cleaned_data["owner"], was]])
    else:
        messages.error(request, " ".join(str(fault) for some in form.errors.values() for fault in some))
    return redirect("skills:skill", team=team, name=name)


def _asked_to_retire(request: PageRequest, row: Skill) -> HttpResponse | None:
    """Return the page that asks to confirm retiring or declining the skill; None if the member may not do it."""
    if not request.member.may(row.team_id, Level.LEAD):
        return None
    verb, becomes = ("Decline", "The proposal is closed") if row.is_proposal else ("Retire", "Agents no longer get it")
    return ask_to_confirm(
        request,
        title=f"{verb} the skill {row.name}?",
        lines=[f"{becomes}. Its versions are kept, and publishing it restores it."],
        button=f"{verb} skill",
        cancel=reverse("skills:skill", args=[row.team.slug, row.name]),
    )


@login_required
@require_http_methods(["GET", "POST"])
def restored(request: PageRequest, team: str, name: str, number: int) -> HttpResponse:
    """Show what restoring a version would change, then do it; if the skill changed meanwhile, show the difference
    again.
    """
    row = _visible_skill(request, team, name)
    request.member.require(row.team_id, Level.LEAD)
    version = version_of(name=name, team=team, number=number, by=request.member)
    form = PublishForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        sent = {"name": name, "team": team, "number": number, "by": request.member, "now": timezone.now()}
        before = SkillBefore.of(row)
        done = form.send(restore, **sent)
        if done:
            words = "restored as a draft. Agents get it when it is published" if done.changed else "is the current text"
            notices.undoable(request, f"Version {number} of {name} {words}.", before.steps(done.skill))
            return redirect("skills:skill", team=team, name=name)
        row = _visible_skill(request, team, name)
    names = (f"version {row.latest.number}", f"version {number}")
    context = {
        "skill": row,
        "version": version,
        "form": form,
        "diff": difference(row.latest.sheet, version.sheet, names=names),
        "files_differ": row.latest.files != version.files,
    }
    return render(request, "skills/skill_restore.html", context, status=412 if form.stale else 200)


@login_required
@require_GET
def export(request: PageRequest, team: str, name: str) -> HttpResponse:
    """Return a zip archive of the live version, or of the draft if there is none."""
    called, data = transfer.export_zip(name=name, team=team, by=request.member)
    headers = {"Content-Disposition": f'attachment; filename="{called}.zip"', "X-Content-Type-Options": "nosniff"}
    return HttpResponse(data, content_type="application/zip", headers=headers)


@login_required
@require_http_methods(["GET", "POST"])
def imported(request: PageRequest) -> HttpResponse:
    """Import skills from an archive, and show the result of each."""
    form = SkillImportForm(request.POST or None, request.FILES or None, member=request.member)
    arrived = None
    if form.is_valid():
        sent = {"data": form.data_of_file(), "team": form.cleaned_data["team"], "live": form.cleaned_data["live"]}
        arrived = form.attempt(transfer.import_zip, by=request.member, now=timezone.now(), **sent)
        taken = [one.name for one in arrived or () if one.outcome not in ("refused", "unchanged")]
        if taken:
            notices.listed(request, f"{len(taken)} skill{'' if len(taken) == 1 else 's'} imported: {', '.join(taken)}.")
    context = {"form": form, "arrived": arrived, "team": form.data.get("team", "")}
    return render(request, "skills/skill_import.html", context)


TRIALS = {"preview": "skills/_skill_preview.html", "try": "skills/_skill_trial.html"}


def _trial(request: PageRequest, form: SkillForm, act: str) -> HttpResponse:
    """Show the editor as it was typed, with the preview or trial beside it; HTMX gets only that part."""
    sheet = form.sheet()
    context: dict[str, Any] = {"form": form, "skill": form.skill, "preview": sheet.instructions}
    if act == "try":
        question = request.POST.get("question", "").strip()[:2_000]
        context["question"] = question
        context["rehearsal"] = rehearse(sheet=sheet, by=request.member, question=question)
    return render(request, TRIALS[act] if request.htmx else "skills/skill_edit.html", context)


def _last(row: Skill, member: Member) -> LogEntry | None:
    """Return the latest log line of the skill, with who did it."""
    return LogEntry.objects.visible_to(member).filter(team_id=row.team_id).about(row.subject).first()


def _visible_skill(request: PageRequest, team: str, name: str) -> Skill:
    found = Skill.objects.all().one_named(name, team, request.member)
    row: Skill = Skill.objects.all().whole().counted(SkillUse.objects.all()).get(pk=found.pk)
    return row


def _since(row: Skill, revision: int, history: Any) -> list[LogEntry]:
    """Return the log lines since a revision, oldest first: each revision has written one."""
    return list(history[: max(min(row.revision - revision, LINES), 1)])[::-1]


def _changes(version: SkillVersion, before: SkillVersion | None) -> str:
    names = (f"version {before.number}" if before else "nothing", f"version {version.number}")
    return difference(before.sheet if before else None, version.sheet, names=names)
