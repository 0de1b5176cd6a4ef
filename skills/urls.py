"""Pages."""

from django.urls import path

from skills import views

app_name = "skills"
ONE = "skills/<slug:team>/<str:name>/"
urlpatterns = [
    path("skills/", views.skills, name="skills"),
    path("skills/new/", views.new, name="new"),
    path("skills/import/", views.imported, name="import"),
    path("skills/table/", views.table, name="table"),
    path("skills/distil/<uuid:topic_id>/", views.distilled, name="distil"),
    path(ONE, views.skill, name="skill"),
    path(f"{ONE}item/", views.panel, name="item"),
    path(f"{ONE}edit/", views.edit, name="edit"),
    path(f"{ONE}versions/<int:number>/restore/", views.restored, name="restore"),
    path(f"{ONE}owner/", views.owned, name="owner"),
    path(f"{ONE}export/", views.export, name="export"),
    *(path(f"{ONE}{verb}/", views.published, {"verb": verb}, name=verb) for verb in ("publish", "retire")),
]
