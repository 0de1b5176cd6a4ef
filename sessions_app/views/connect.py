"""Pages that connect an agent."""

import json
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import condition, require_http_methods, require_safe

from accounts.actions.tokens import issue_token
from accounts.authentication import PageRequest, member_by_token
from accounts.models import ApiToken
from accounts.rules.rights import PERSONAL, Level, Member, TeamKind
from sessions_app.adapters.client_file import client_file
from sessions_app.forms import AGENTS, ConnectForm

# A lesson that is true wherever git is, and a question that finds it in a Loam that knows nothing else yet.
LESSON = {
    "kind": "SOLUTION",
    "body": "After a rebase, push with git push --force-with-lease: it refuses if somebody else has pushed.",
    "tags": ["git"],
}
QUESTION = "how do I push safely after a rebase"


@dataclass(frozen=True)
class Agent:
    """One that the client installs itself into: what it writes for it, and what wakes it afterwards."""

    slug: str
    name: str
    written: tuple[str, ...]
    after: str

    @property
    def install(self) -> str:
        return f"python3 loam.py install {self.slug}"


INSTALLED = (
    Agent(
        "claude-code",
        AGENTS["claude-code"],
        ("~/.claude/settings.json", "~/.claude.json"),
        "Start a new session: it starts with the handoff of the last one.",
    ),
    Agent("cursor", AGENTS["cursor"], ("~/.cursor/hooks.json", "~/.cursor/mcp.json"), "Restart Cursor."),
    Agent(
        "codex",
        AGENTS["codex"],
        ("~/.codex/hooks.json", "~/.codex/config.toml"),
        "Start Codex and trust the hooks when it asks (/hooks).",
    ),
    Agent(
        "vscode",
        AGENTS["vscode"],
        ("~/.copilot/hooks/loam.json", "Code/User/mcp.json"),
        "Open the MCP view in VS Code and start `loam`.",
    ),
    Agent(
        "gemini-cli",
        AGENTS["gemini-cli"],
        ("~/.gemini/settings.json",),
        "Start Gemini CLI; /hooks panel lists the hooks, /mcp the tools.",
    ),
    Agent(
        "opencode",
        AGENTS["opencode"],
        ("opencode/plugins/loam.js", "opencode/opencode.json"),
        "Restart OpenCode.",
    ),
    Agent(
        "copilot",
        AGENTS["copilot"],
        ("~/.copilot/hooks/loam.json", "~/.copilot/mcp-config.json"),
        "Start Copilot CLI in a folder that you trust.",
    ),
)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def connect(request: PageRequest) -> HttpResponse:
    """Three steps to a connected agent. A POST makes the token and fills it in; HTMX asks for the light."""
    member, now = request.member, timezone.now()
    chosen = str(request.POST.get("agent") or request.GET.get("agent") or "")
    chosen = chosen if chosen in AGENTS else next(iter(AGENTS))
    form = ConnectForm(request.POST or None, member=member, initial={"agent": chosen})
    issued = form.attempt(issue_token, **form.token(now), by=member, now=now) if form.is_valid() else None
    token = issued.token if issued else _watched(request, member)
    context: dict[str, Any] = {
        "form": form,
        "issued": issued,
        "token": token,
        "chosen": chosen,
        "agents": INSTALLED,
        "lines": _lines(
            base=request.build_absolute_uri("/"),
            secret=issued.secret if issued else "loam_…",
            team=_first_team(member_by_token(token) if token else member),
        ),
        "sha256": client_file().sha256,
    }
    template = "sessions_app/_connect_light.html" if request.htmx else "sessions_app/connect.html"
    return render(request, template, context)


@require_safe
@condition(etag_func=lambda request: f'"{client_file().sha256}"')
def client(request: HttpRequest) -> HttpResponse:
    """The client, for `curl -O`; its ETag is its SHA-256. Needs no login: there is no secret in it."""
    return HttpResponse(
        client_file().content,
        content_type="text/x-python; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="loam.py"', "Cache-Control": "no-cache"},
    )


@require_safe
def client_checksum(request: HttpRequest) -> HttpResponse:
    """The line that `sha256sum -c` reads."""
    return HttpResponse(f"{client_file().sha256}  loam.py\n", content_type="text/plain; charset=utf-8")


def _lines(*, base: str, secret: str, team: str) -> dict[str, str]:
    """The shell lines of the page, ready to be pasted; `base` ends with a slash."""
    api, own = f"{base}api/v1/", base.rstrip("/")
    return {
        "client": f"curl -sSO {base}connect/loam.py\n"
        f"echo '{client_file().sha256}  loam.py' | sha256sum -c\n"
        f"python3 loam.py login {own} --token {secret} --team {team}",
        "mcp": json.dumps({"mcpServers": {"loam": _mcp_server(own, secret)}}, indent=2, ensure_ascii=False),
        "health": f"curl -sS {api}health/",
        "deposit": _curl(f"{api}insights/", secret, {"team": team, **LESSON}),
        "query": _curl(f"{api}query/", secret, {"query": QUESTION}),
    }


def _mcp_server(base: str, secret: str) -> dict[str, Any]:
    """As most agents write a server down that they reach over HTTP."""
    return {"type": "http", "url": f"{base}/mcp", "headers": {"Authorization": f"Bearer {secret}"}}


def _curl(url: str, secret: str, body: dict[str, Any]) -> str:
    head = f"curl -sS {url} \\\n  -H 'Authorization: Bearer {secret}' \\\n  -H 'Content-Type: application/json' \\\n"
    return f"{head}  -d '{json.dumps(body)}'"


def _watched(request: PageRequest, member: Member) -> ApiToken | None:
    """The token whose first call is waited for, if the address names one of one's own."""
    wanted = request.GET.get("token", "")
    return ApiToken.objects.visible_to(member).filter(pk=wanted).first() if wanted.isdecimal() else None


def _first_team(member: Member) -> str:
    """The team the example deposits into."""
    shared = (team for team in member.teams if team.kind is TeamKind.SHARED and team.level >= Level.CONTRIBUTOR)
    team = next(shared, None)
    return team.slug if team else PERSONAL
