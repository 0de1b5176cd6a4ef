"""Pages."""

from django.urls import path

from sessions_app import views

app_name = "sessions"
urlpatterns = [
    path("", views.home, name="home"),
    path("connect/", views.connect, name="connect"),
]
