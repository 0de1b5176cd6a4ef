"""Triggers that keep the counts of `PassageTerm`.

One statement for each write, however many passages it touches. Terms are locked in one order, so that two sessions that
end at once wait for each other and do not deadlock. A count that comes to nothing is deleted: what a forgotten
conversation said is in no table.
"""

from django.db import migrations

COUNT = """
CREATE FUNCTION sessions_app_count_passage_terms() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    gone boolean;
BEGIN
    WITH change AS (
        {changed}
    ), summed AS (
        SELECT team_id, term, sum(n) AS n FROM (
            SELECT team_id, n, unnest(tsvector_to_array(lexemes)) AS term FROM change
            UNION ALL SELECT team_id, n, '' FROM change
        ) AS each_term GROUP BY team_id, term HAVING sum(n) <> 0 ORDER BY team_id, term
    ), kept AS (
        INSERT INTO sessions_app_passageterm AS t (team_id, term, passages)
        SELECT team_id, term, n FROM summed
        ON CONFLICT (team_id, term) DO UPDATE SET passages = t.passages + EXCLUDED.passages
        RETURNING passages
    ) SELECT coalesce(bool_or(passages <= 0), false) INTO gone FROM kept;
    IF gone THEN
        DELETE FROM sessions_app_passageterm WHERE passages <= 0 AND team_id IN ({teams});
    END IF;
    RETURN NULL;
END $$;
"""
INSERTED = "SELECT team_id, lexemes, 1 AS n FROM new_rows WHERE lexemes IS NOT NULL"
DELETED = "SELECT team_id, lexemes, -1 AS n FROM old_rows WHERE lexemes IS NOT NULL"
# What only gets its vector counts as it did.
MOVED = """
    SELECT o.team_id, o.lexemes, -1 AS n FROM old_rows o JOIN new_rows n USING (id)
    WHERE o.lexemes IS NOT NULL AND (o.team_id, o.lexemes) IS DISTINCT FROM (n.team_id, n.lexemes)
    UNION ALL
    SELECT n.team_id, n.lexemes, 1 AS n FROM old_rows o JOIN new_rows n USING (id)
    WHERE n.lexemes IS NOT NULL AND (o.team_id, o.lexemes) IS DISTINCT FROM (n.team_id, n.lexemes)
"""
OLD, NEW = "old_rows", "new_rows"
TRIGGERS = {
    "insert": (INSERTED, [NEW]),
    "delete": (DELETED, [OLD]),
    "update": (MOVED, [OLD, NEW]),
}


def _trigger(event: str) -> tuple[str, str]:
    """The SQL that makes the trigger of one event with its function, and the SQL that drops both."""
    changed, tables = TRIGGERS[event]
    name = f"sessions_app_count_passage_terms_{event}"
    teams = " UNION ".join(f"SELECT team_id FROM {table}" for table in tables)
    function = COUNT.format(changed=changed, teams=teams).replace("sessions_app_count_passage_terms()", f"{name}()")
    referencing = " ".join(f"{table.split('_')[0].upper()} TABLE AS {table}" for table in tables)
    trigger = (
        f"CREATE TRIGGER {name} AFTER {event.upper()} ON sessions_app_passage REFERENCING {referencing}"
        f" FOR EACH STATEMENT EXECUTE FUNCTION {name}();"
    )
    return function + trigger, f"DROP TRIGGER {name} ON sessions_app_passage; DROP FUNCTION {name}();"


class Migration(migrations.Migration):
    without_downtime = "triggers on a table that the version before does not write"

    dependencies = [("sessions_app", "0011_passage_search")]

    operations = [migrations.RunSQL(*_trigger(event)) for event in TRIGGERS]
