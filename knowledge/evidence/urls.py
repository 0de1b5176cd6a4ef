"""Pages."""

from django.urls import path

from knowledge.evidence import views

app_name = "evidence"
urlpatterns = [
    path("evidence/", views.evidence, name="evidence"),
    path("evidence/clusters/", views.clusters, name="clusters"),
    path("evidence/clusters/<str:ref>/", views.cluster, name="cluster"),
    path("evidence/clusters/<str:ref>/refresh/", views.refresh_cluster, name="refresh"),
    path("evidence/sources/<slug:slug>/file/", views.source_file, name="file"),
]
