from django.apps import AppConfig


class SkillsConfig(AppConfig):
    name = "skills"

    def ready(self) -> None:
        from knowledge.review.actions import bulk, recent_actions  # noqa: PLC0415 - models are not loaded before
        from skills.actions import undo  # noqa: PLC0415

        bulk.add_steps(undo.STEPS, at_revision=undo.AT_REVISION)
        recent_actions.add_revisions(undo.AT_REVISION, undo.revisions)
