from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", views.revoke, name="revoke"),
    path("teams/", views.teams, name="teams"),
    path("teams/<slug:slug>/", views.team, name="team"),
    path("teams/<slug:slug>/members/<str:username>/remove/", views.remove, name="remove"),
]
