"""Pages."""

from django.urls import path

from knowledge import views

CURATING = ("promote", "deprecate", "restore", "pin", "unpin")

app_name = "knowledge"
urlpatterns = [
    path("insights/", views.insights, name="insights"),
    path("insights/<str:ref>/", views.insight, name="insight"),
    path("insights/<str:ref>/edit/", views.edit, name="edit"),
    *(path(f"insights/<str:ref>/{verb}/", views.curated, {"verb": verb}, name=verb) for verb in CURATING),
]
