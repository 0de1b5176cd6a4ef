"""Suggested edits are not all that is commented on: the model has a name that says less."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0056_anchor_message")]
    without_downtime = "the table keeps its name; nothing is changed in the database"

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel("ProposalComment", "Comment"),
                migrations.AlterModelTable("Comment", "knowledge_proposalcomment"),
            ]
        )
    ]
