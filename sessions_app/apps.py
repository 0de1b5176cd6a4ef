from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "sessions_app"

    def ready(self) -> None:
        from accounts.actions.members import LEAVING  # noqa: PLC0415 - models are not loaded before
        from sessions_app.conversations.actions.share import leave_team  # noqa: PLC0415

        if leave_team not in LEAVING:
            LEAVING.append(leave_team)
