"""Sources: a superuser registers folders below the one allowed root; a health check says what is in them."""

import time
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.actions.jobs import Items, Work
from accounts.models import Team
from accounts.rules.refused import NotAllowed, NotFound, Refused
from accounts.rules.rights import Member, TeamKind
from knowledge.evidence.actions.read import SourceRoot, digests, scan_source, source_root
from knowledge.evidence.adapters.documents import UNREAD_FORMAT, is_rich, is_unread
from knowledge.evidence.adapters.files import FileScan, SourceGone
from knowledge.evidence.adapters.git import NoTree
from knowledge.evidence.adapters.trees import remove_others, tree_key
from knowledge.evidence.models import Document, Source
from knowledge.evidence.rules.scope import LONGEST_GLOB, BadPath, BadRevision, SearchScope, clean_path, clean_revision

# What may be changed of a source once it is there; its slug stays, for clusters and callers name it.
EDITABLE = ("name", "path", "revision", "include", "exclude", "largest_file", "most_files", "active")
# Seconds a health check may take, and one that writes the files of a repository's newest commit.
PATIENCE = 30.0
CHECKOUT = 300.0
MOST_GLOBS = 50
# A folder with a document that is not read is searched all the same.
WELL = ("ok", "partial")
LARGEST = 50_000_000


class BadSource(Refused):
    code = "invalid"
    detail = "The source cannot be registered."


def register(*, slug: str, team_slug: str, path: str, by: Member, now: datetime, **more: Any) -> Source:
    """Make a folder searchable for a team, or a repository at a `revision`. A superuser's act. Raises NotAllowed,
    BadSource.
    """
    _superuser(by)
    team = Team.objects.exclude(kind=TeamKind.PERSONAL).filter(slug=team_slug).first()
    if team is None:
        raise BadSource(errors={"team": ["Unknown shared team."]})
    if Source.objects.filter(slug=slug).exists():
        raise BadSource(errors={"slug": ["A source with this name already exists."]})
    fields = _clean({"path": path, **more, "name": more.get("name") or slug})
    source = Source(slug=slug, team_id=team.pk, created_at=now)
    with transaction.atomic():
        source.change(fields, verb="registered", by=by, at=now)
    return check(slug=slug, now=now)


def change(*, slug: str, changes: dict[str, Any], by: Member, now: datetime) -> Source:
    """Change what is EDITABLE. Raises NotAllowed, NotFound, BadSource."""
    _superuser(by)
    with transaction.atomic():
        source = Source.objects.select_for_update(no_key=True).filter(slug=slug).first()
        if source is None:
            raise NotFound
        fields = _clean({name: value for name, value in changes.items() if name in (*EDITABLE, "team_id")})
        if fields:
            source.change(fields, verb="changed", by=by, at=now)
    return check(slug=slug, now=now)


def check(*, slug: str, now: datetime) -> Source:
    """Look at the folder now, and note what is in it and what is not read, with reasons. Raises NotFound."""
    source = Source.objects.filter(slug=slug).first()
    if source is None:
        raise NotFound
    source.note_health(_health(source), at=now)
    return source


def check_all(*, now: datetime) -> Work:
    """Check the health of every source, and count those that are not well."""
    items, unwell = Items("check_sources"), 0
    for slug in items.each(list(Source.objects.all().searchable().values_list("slug", flat=True))):
        with items.guard(f"source {slug}"):
            unwell += check(slug=slug, now=now).health["state"] not in WELL
    repositories = Source.objects.all().searchable().exclude(revision="")
    remove_others(tree_key(pk, path) for pk, path in repositories.values_list("pk", "path"))
    return items.work({"unwell": unwell})


def _health(source: Source) -> dict[str, Any]:
    began = time.monotonic()
    nothing = {"state": "gone", "files": 0, "bytes": 0, "skipped": {}}
    try:
        root = source_root(source, ends=began + CHECKOUT)
        scopes = [SearchScope(tuple(source.include), tuple(source.exclude))]
        found = scan_source(source, root, scopes=scopes, ends=time.monotonic() + PATIENCE)
    except NoTree as fault:
        return nothing | {"why": str(fault)}
    except SourceGone as gone:
        return nothing | {"why": f"Its folder is {gone}."}
    unread = _unread(source, root, found)
    state, why = ("partial" if unread else "ok"), ""
    if unread:
        why = f"{len(unread):,} document{'s are' if len(unread) > 1 else ' is'} not read."
    if not found.files:
        state, why = "empty", "The folder contains no readable file."
    named = {"unread": unread[:MOST_NAMED], "unread_count": len(unread)} if unread else {}
    counted = {"files": len(found.files), "bytes": found.bytes, "skipped": dict(found.skipped)}
    at = {"commit": root.commit} if root.commit else {}
    return {"state": state, **at, **counted, "why": why, **named}


# Documents named on the page of the sources.
MOST_NAMED = 100


def _unread(source: Source, root: SourceRoot, found: FileScan) -> list[dict[str, str]]:
    """[{path, reason}] of the documents that are not searched, as far as they were tried."""
    named = [{"path": path, "reason": UNREAD_FORMAT} for path in found.files if is_unread(path)]
    rich = [one for path, one in found.files.items() if is_rich(path)]
    hashes = digests(root=root, source=source, found=rich)
    faults = Document.objects.all().faults(hashes.values())
    named += [{"path": path, "reason": faults[one]} for path, one in hashes.items() if one in faults]
    return sorted(named, key=lambda one: one["path"])


def _superuser(by: Member) -> None:
    if not by.is_superuser or by.token_id is not None:
        raise NotAllowed("Only a superuser can register sources, in the admin or on the server.")


def _clean(fields: dict[str, Any]) -> dict[str, Any]:
    errors: dict[str, list[str]] = {}
    done = dict(fields)
    if "path" in done:
        try:
            done["path"] = clean_path(done["path"])
        except BadPath as bad:
            errors["path"] = [str(bad)]
    if done.get("revision"):
        try:
            done["revision"] = clean_revision(done["revision"])
        except BadRevision as bad:
            errors["revision"] = [str(bad)]
    for name in ("include", "exclude"):
        globs = done.get(name, [])
        if len(globs) > MOST_GLOBS or any(len(glob) > LONGEST_GLOB or "\0" in glob or not glob for glob in globs):
            errors[name] = [f"At most {MOST_GLOBS} globs of 1 to {LONGEST_GLOB} characters."]
    if not 1 <= done.get("largest_file", 1) <= LARGEST:
        errors["largest_file"] = [f"From 1 to {LARGEST:,} bytes."]
    if errors:
        raise BadSource(errors=errors)
    return done
