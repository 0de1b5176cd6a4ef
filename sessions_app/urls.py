"""Pages."""

from django.urls import path

from sessions_app import views

app_name = "sessions"
urlpatterns = [
    path("activity/", views.activity, name="activity"),
    path("activity/export/", views.activity_export, name="activity-export"),
    path("activity/<int:line_id>/", views.activity_line, name="activity-line"),
    path("teams/<slug:slug>/activity/", views.team_activity, name="team-activity"),
    path("connect/", views.connect, name="connect"),
    path("connect/loam.py", views.client, name="client"),
    path("connect/loam.py.sha256", views.client_checksum, name="client-checksum"),
    path("dashboard/", views.dashboard, name="dashboard"),
    path("dashboard/annotations/", views.add_annotation, name="annotation-add"),
    path("dashboard/annotations/<int:annotation_id>/", views.edit_annotation, name="annotation-edit"),
    path("dashboard/annotations/<int:annotation_id>/remove/", views.drop_annotation, name="annotation-remove"),
    path("dashboard/contradictions/", views.measured_list, {"listed": views.CONTRADICTION_LIST}, name="contradictions"),
    path("dashboard/questions/", views.measured_list, {"listed": views.QUESTION_LIST}, name="questions"),
    path("dashboard/ratings/", views.measured_list, {"listed": views.RATING_LIST}, name="ratings"),
    path("files/", views.suggested, name="file-names"),
    path("go/", views.go, name="go"),
    path("friction/", views.friction_report, name="friction"),
    path("sessions/", views.sessions, name="sessions"),
    path("sessions/export/", views.sessions_export, name="sessions-export"),
    path("sessions/open/", views.open_work, name="open-work"),
    path("sessions/surfaced/", views.surfaced, name="surfaced"),
    path("sessions/<str:name>/", views.session, name="session"),
    path("sessions/<str:name>/acknowledge/", views.acknowledged, name="acknowledge"),
    path("sessions/<str:name>/conversation/", views.conversation, name="conversation"),
    path("sessions/<str:name>/conversation/insight/", views.quoted, name="quote"),
    path("sessions/<str:name>/conversation/forget/", views.forget, name="forget-conversation"),
    path("settings/sharing/", views.sharing, name="sharing"),
    path("settings/sharing/stop/", views.unshared, name="unshare"),
]
