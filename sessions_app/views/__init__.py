"""Pages about agents: activity, connecting, sessions, surfaced prompts, friction, dashboard, palette."""

from sessions_app.views.activity import activity, activity_export, activity_line, team_activity
from sessions_app.views.annotations import add_annotation, drop_annotation, edit_annotation
from sessions_app.views.connect import client, client_checksum, connect
from sessions_app.views.conversations import conversation, forget, quoted
from sessions_app.views.dashboard import dashboard, friction_report
from sessions_app.views.file_names import suggested
from sessions_app.views.measured import CONTRADICTION_LIST, QUESTION_LIST, RATING_LIST, measured_list
from sessions_app.views.palette import go
from sessions_app.views.sessions import acknowledged, open_work, session, sessions, sessions_export, surfaced
from sessions_app.views.sharing import sharing, unshared

__all__ = [
    "CONTRADICTION_LIST",
    "QUESTION_LIST",
    "RATING_LIST",
    "acknowledged",
    "activity",
    "activity_export",
    "activity_line",
    "add_annotation",
    "client",
    "client_checksum",
    "connect",
    "conversation",
    "dashboard",
    "drop_annotation",
    "edit_annotation",
    "forget",
    "friction_report",
    "go",
    "measured_list",
    "open_work",
    "quoted",
    "session",
    "sessions",
    "sessions_export",
    "sharing",
    "suggested",
    "surfaced",
    "team_activity",
    "unshared",
]
