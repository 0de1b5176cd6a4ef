"""By what a start finds open handoffs, and a transcript its session; the index of the latest one serves nobody now."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("sessions_app", "0006_close_superseded_handoffs")]
    operations = [
        AddIndexConcurrently(
            model_name="agentsession",
            index=models.Index(
                condition=models.Q(("agent_session", ""), _negated=True),
                fields=["user", "agent_session"],
                name="session_of_agent",
            ),
        ),
        AddIndexConcurrently(
            model_name="handoff",
            index=models.Index(
                condition=models.Q(("acknowledged_at__isnull", True)),
                fields=["team", "repo", "-as_of", "-id"],
                name="handoff_open",
            ),
        ),
        RemoveIndexConcurrently(
            model_name="handoff",
            name="handoff_latest",
        ),
    ]
