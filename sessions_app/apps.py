from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "sessions_app"

    def ready(self) -> None:
        from accounts.actions.members import LEAVING  # noqa: PLC0415 - models are not loaded before
        from knowledge.review.actions.curate import leave_insights  # noqa: PLC0415
        from knowledge.topics.actions.topics import leave_topics  # noqa: PLC0415
        from sessions_app.conversations.actions.share import leave_team  # noqa: PLC0415
        from skills.actions.owner import leave_skills  # noqa: PLC0415

        found = (leave_team, leave_insights, leave_topics, leave_skills)
        LEAVING.extend(leave for leave in found if leave not in LEAVING)
