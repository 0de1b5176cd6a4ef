"""Moving a team to another cell: since when it takes no writes, and where it is; tokens that name their cell.

The previous version reads and writes teams and tokens as ever. The trigger is what the rights of a request cannot be: a
request that was let in before the stop, and writes after it, is undone. It holds the team's lock until its transaction
ends, which who stops the writes waits for. Reads leave lines too, and so do sessions, which begin while writes are
stopped; those pass, and what no person does (a sweep) has no user.
"""

from django.db import migrations, models

FUNCTION = """
CREATE FUNCTION loam_team_takes_writes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(1819042157, hashint8(NEW.team_id));
    IF EXISTS (SELECT 1 FROM accounts_team WHERE id = NEW.team_id AND writes_stopped_at IS NOT NULL) THEN
        RAISE EXCEPTION 'team % takes no writes', NEW.team_id USING ERRCODE = 'LM001';
    END IF;
    RETURN NEW;
END $$
"""
TRIGGER = """
CREATE TRIGGER logentry_takes_writes BEFORE INSERT ON accounts_logentry FOR EACH ROW
WHEN (NEW.user_id IS NOT NULL AND NEW.verb NOT IN ('refused', 'exported') AND NEW.verb NOT LIKE 'session %')
EXECUTE FUNCTION loam_team_takes_writes()
"""


class Migration(migrations.Migration):
    without_downtime = (
        "a longer varchar changes the catalogue alone, and the trigger lets everything pass until a team stops"
    )
    dependencies = [
        ("accounts", "0018_team_second_reviewer"),
    ]

    operations = [
        migrations.AddField(
            model_name="team",
            name="writes_stopped_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="team",
            name="moved_to",
            field=models.CharField(blank=True, db_default="", default="", editable=False, max_length=200),
        ),
        migrations.AlterField(
            model_name="apitoken",
            name="prefix",
            field=models.CharField(max_length=24, unique=True),
        ),
        migrations.RunSQL(FUNCTION, "DROP FUNCTION loam_team_takes_writes()"),
        migrations.RunSQL(TRIGGER, "DROP TRIGGER logentry_takes_writes ON accounts_logentry"),
    ]
