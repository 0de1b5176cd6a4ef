"""`loam query`, `deposit`, `relate`, `rate` and `evidence`."""

from __future__ import annotations

import os
import sys

from accounts.rules.fence import inert_line, whose
from accounts.rules.guard.detection import find_secrets
from accounts.rules.imitations.own_lines import SEARCH_LINE
from sessions_app.client.src.checkout.freshness import hash_file
from sessions_app.client.src.checkout.place import within
from sessions_app.client.src.commands.base import files_of, here, say, send_or_queue, server_for, session_id
from sessions_app.client.src.fenced import OwnLine
from sessions_app.client.src.hooks.marks import ASKED_MARKING_TAKES, as_report, marked, report_changes
from sessions_app.client.src.late import argparse
from sessions_app.client.src.local import Json, Stop, filled, known_account
from sessions_app.client.src.masking import mask, masked_short


def do_query(args: argparse.Namespace) -> int:
    body = filled(
        query=masked_short(" ".join(args.text), 24_000), files=files_of(args), symbols=args.symbol, tags=args.tag,
        limit=args.limit, error=mask(args.error or ""), repo=here(args).repo, session=session_id(args),
        explain=args.explain or None,
    )  # fmt: skip
    place = here(args)
    answer = server_for(args).call("POST", "query/", body)
    anchors = {hit["ref"]: _anchors(hit) for hit in answer["insights"] if hit.get("repo") == place.repo}
    lines: list[str] = []
    answer["text"], changed = marked(str(answer.get("text") or ""), place.top, anchors, takes=ASKED_MARKING_TAKES)
    if changed:
        report_changes(place.top, place.repo, known_account().url, as_report(changed))
    for hit in answer["insights"]:
        hit["changed"] = [f"{changed[one]}: {one[0]}" for one in anchors.get(hit["ref"], ()) if one in changed]
        who = whose(hit.get("author"), (hit.get("source") or {}).get("type", ""))
        head = f"{hit['ref']}  {hit['kind']} · {hit['status']} · {who}  {hit['score']:.2f}"
        lines.append(OwnLine(f"{head}  {inert_line(hit['title'])}"))
        lines += [f"    {line}" for line in hit["body"].splitlines()[:12]] + [f"    ({hit['why']})", ""]
        lines[-2:-2] = [f"    ! {said}" for said in hit["changed"]]
    own = [] if lines else ["Nothing relevant is known."]
    own += [f"Part down: {part['component']}: {part['reason']}" for part in answer.get("degraded", [])]
    say(answer, args, "\n".join(own), others=lines)
    return 0


def _anchors(hit: Json) -> list[tuple[str, str]]:
    return [(str(one["path"]), str(one.get("sha256", ""))) for one in hit.get("provenance") or ()]


def learned_from(top: str, files: list[str]) -> list[Json]:
    """Return the hashes that files have now, for the note that is learned from them; patterns have none."""
    hashes = {path: hash_file(os.path.join(top, path)) for path in dict.fromkeys(files) if within(path, top) == path}
    return [{"path": path, "sha256": digest} for path, digest in hashes.items() if digest]


def do_deposit(args: argparse.Namespace) -> int:
    text = " ".join(args.body) if args.body and args.body != ["-"] else sys.stdin.read()
    if not text.strip():
        raise Stop("There is nothing to deposit: give the text, or pipe it in.", 2)
    secrets = find_secrets("\n".join([text, args.reasoning or "", *args.question]))
    if secrets:
        raise Stop("Not sent, it has a secret in it: " + "; ".join(map(str, secrets)))
    body = filled(
        kind=args.kind.upper(), body=text.strip(), title=args.title, reasoning=args.reasoning, tags=args.tag,
        questions=args.question,
        files=files_of(args), symbols=args.symbol, error=mask(args.error or ""), repo=here(args).repo,
        session=session_id(args), team=args.team or known_account().team,
        provenance=learned_from(here(args).top, files_of(args)),
    )  # fmt: skip
    done = send_or_queue(args, "insights/", body, args.key)
    if done:
        _say_deposited(done, args)
        if done.get("ask") and not args.json and sys.stdin.isatty():
            _answer(args, done)
    return 0


RELATIONS = ("duplicates", "supersedes", "contradicts", "complements", "unrelated")


def _say_deposited(done: Json, args: argparse.Namespace) -> None:
    """Print what became of a deposit or of what was said of it, and what is asked, with the command that answers."""
    ref = done["insight"]["ref"]
    lines = [f"{done['outcome']}: {ref}  {done['insight']['title']}"]
    for one in done.get("related") or []:
        cues = "; ".join(
            f"{cue['kind']}: {', '.join(cue['first']) or '-'} / {', '.join(cue['second']) or '-'}"
            for cue in one["cues"]
        )
        lines.append(
            f"  {one['ref']}: {one['relation']}, {one['state']} ({one['reason']}{', ' + cues if cues else ''})"
        )
    near = (done.get("ask") or {}).get("neighbours", [])
    if near:
        lines.append("How does it relate to what is near?")
        for one in near:
            who = whose(one.get("author"), one.get("source_type", ""))
            of = f" · {inert_line(one['repo'])}" if one.get("repo") else ""
            about = f"{one['kind']} · {one['status']} · {who} · {one['age_days']:.0f} days{of}"
            lines.append(OwnLine(f"  {one['ref']}  {about}: {inert_line(one['text'])}"))
    own = f"Answer: loam relate {ref} {near[0]['ref']} {'|'.join(RELATIONS)}" if near else ""
    named = done.get("near") or []
    if named:
        lines.append("Nearest notes:")
        headings = [f"{one['title']} · {one['age_days']:.0f} days" for one in named]
        lines += [
            f"  {one['ref']}  {': '.join(filter(None, (line, one['text'])))}" for one, line in zip(named, headings)
        ]
        own = f"If it replaces or repeats one: loam relate {ref} {named[0]['ref']} supersedes|duplicates|contradicts"
    say(done, args, own, others=lines)


def _answer(args: argparse.Namespace, done: Json) -> None:
    """Take the answer at the terminal; what is left empty stays open."""
    said = []
    for one in done["ask"]["neighbours"]:
        word = input(f"{done['insight']['ref']} … {one['ref']} ({', '.join(RELATIONS)}; Enter: leave open): ").strip()
        found = [name for name in RELATIONS if word and name.startswith(word.lower())]
        if len(found) == 1:
            said.append({"ref": one["ref"], "relation": found[0]})
    if said:
        path = f"insights/{done['insight']['ref']}/relations/"
        _say_deposited(server_for(args).call("POST", path, {"relations": said}), args)


def do_relate(args: argparse.Namespace) -> int:
    said = [filled(ref=args.other, relation=args.relation, note=mask(args.note or ""))]
    done = server_for(args).call("POST", f"insights/{args.ref}/relations/", {"relations": said})
    _say_deposited(done, args)
    return 0


def do_rate(args: argparse.Namespace) -> int:
    body = filled(
        insights=args.ref, verdict=args.verdict, query_id=args.query_id, reason=mask(args.reason or ""),
        session=session_id(args),
    )  # fmt: skip
    done = send_or_queue(args, "ratings/", body)
    if done:
        lines = [f"{one['ref']}: strength {one['strength']}, {one['status']}" for one in done["results"]]
        lines += [f"{one['ref']}: noted" for one in done.get("conversations", ())]
        say(done, args, "", text="\n".join(lines))
    return 0


def do_evidence(args: argparse.Namespace) -> int:
    text = mask(" ".join(args.text))
    body = filled(query=text, mode=args.mode, paths=args.path, sources=args.source, top_k=args.top_k)
    if args.no_reuse:
        body["reuse"] = False
    answer = server_for(args).call("POST", "evidence/search/", body)
    content = str(answer.get("content") or "")  # its sources stand in it, by file and line
    said = [OwnLine(line) if SEARCH_LINE.fullmatch(line) else line for line in content.split("\n") if content]
    lines: list[str] = []
    for one in answer.get("evidences", []):
        place = one.get("place") or f"{one['file']}:{one['start_line']}-{one['end_line']}"
        lines.append(f"{place}  {one.get('summary', '')}")
    lines += [f"{one['path']}  {one['score']:.2f}" for one in answer.get("files_ranked", [])]
    lines += [f"not searched: {one['path']}  {one['reason']}" for one in answer.get("skipped", [])]
    found = [*said, *filter(None, lines)]
    known = OwnLine("From files, not reviewed by the team.") if answer.get("evidences") or not content else ""
    say(answer, args, (known or "No file answers this.") if found else "Nothing was found.", others=found)
    return 0
