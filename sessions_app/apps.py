from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "sessions_app"
    verbose_name = "Sessions"

    def ready(self) -> None:
        from accounts.actions.members import LEAVING  # noqa: PLC0415 - models are not loaded before
        from accounts.actions.owners import OWNED, leave_owned  # noqa: PLC0415
        from accounts.actions.session_ids import REACHED  # noqa: PLC0415
        from knowledge.models import Insight, Topic  # noqa: PLC0415
        from sessions_app.actions.session_lookup import reaches_session  # noqa: PLC0415
        from sessions_app.conversations.actions.share import leave_team  # noqa: PLC0415
        from skills.models import Skill  # noqa: PLC0415

        LEAVING.extend(leave for leave in (leave_team, leave_owned) if leave not in LEAVING)
        REACHED.extend([reaches_session] if reaches_session not in REACHED else [])
        OWNED.extend(model for model in (Insight, Topic, Skill) if model not in OWNED)
