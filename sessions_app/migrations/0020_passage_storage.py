"""Keep what a search reads of a passage in its row, as of insights (knowledge 0005).

A vector beside the row is one more lookup for each distance, of which a question takes some 300. A row has 2.2 kB, a little
more than PostgreSQL leaves as it is: it would compress the words, which are read as often. Rows that are there already
stay as they are until they are written again, and are found as before.
"""

from django.db import migrations


class Migration(migrations.Migration):
    without_downtime = "changes how rows are written from now on; the lock is for as long as the catalogue takes"

    dependencies = [("sessions_app", "0019_index_useful_passages")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE sessions_app_passage ALTER COLUMN embedding SET STORAGE PLAIN,"
            " ALTER COLUMN bm25 SET STORAGE MAIN, SET (toast_tuple_target = 4080)",
            "ALTER TABLE sessions_app_passage ALTER COLUMN embedding SET STORAGE EXTERNAL,"
            " ALTER COLUMN bm25 SET STORAGE EXTERNAL, RESET (toast_tuple_target)",
        )
    ]
