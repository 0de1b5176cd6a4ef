"""Pages."""

from django.urls import path

from sessions_app import views

app_name = "sessions"
urlpatterns = [
    path("connect/", views.connect, name="connect"),
    path("connect/loam.py", views.client, name="client"),
    path("connect/loam.py.sha256", views.client_checksum, name="client-checksum"),
]
