from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", views.revoke, name="revoke"),
    path("teams/", views.teams, name="teams"),
    path("teams/<slug:slug>/", views.team, name="team"),
    path("teams/<slug:slug>/members/<str:username>/remove/", views.remove, name="remove"),
    path("teams/<slug:slug>/invitations/", views.invitations, name="invitations"),
    path("teams/<slug:slug>/invitations/<int:invitation_id>/revoke/", views.uninvited, name="invitation-revoke"),
    path("join/", views.join, name="join"),
    path("teams/<slug:slug>/retention/", views.retention, name="retention"),
    path("teams/<slug:slug>/second-reviewer/", views.second_reviewer, name="second-reviewer"),
    path("teams/<slug:slug>/terms/", views.terms, name="terms"),
    path("teams/<slug:slug>/terms/<int:term_id>/withdraw/", views.withdrawn, name="term-withdraw"),
    path("preferences/", views.preferences, name="preferences"),
    path("preferences/<int:preference_id>/", views.preference, name="preference"),
    path("preferences/<int:preference_id>/confirm/", views.confirmed, name="preference-confirm"),
    path("preferences/<int:preference_id>/forget/", views.forgotten, name="preference-forget"),
    path("settings/", views.settings, name="settings"),
]
