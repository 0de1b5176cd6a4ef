"""Pages of the agent's doorway: connecting, sessions, what was surfaced, friction, the dashboard, the palette."""

from sessions_app.views.connect import client, client_checksum, connect
from sessions_app.views.conversations import conversation, forget, quoted
from sessions_app.views.dashboard import dashboard, friction_report
from sessions_app.views.palette import go
from sessions_app.views.sessions import acknowledged, open_work, session, sessions, surfaced
from sessions_app.views.sharing import sharing, unshared

__all__ = [
    "acknowledged",
    "client",
    "client_checksum",
    "connect",
    "conversation",
    "dashboard",
    "forget",
    "friction_report",
    "go",
    "open_work",
    "quoted",
    "session",
    "sessions",
    "sharing",
    "surfaced",
    "unshared",
]
