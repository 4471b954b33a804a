from django.db import migrations

OF_MEMORY = "EXISTS (SELECT 1 FROM memory_memory m WHERE m.id = memory_id)"
"""The same wall as before, found by the memory's key: `IN` read every memory of every community for each row written."""
CHANGES = "; ".join(
    f"ALTER POLICY reads ON {table} USING ({OF_MEMORY}); ALTER POLICY adds ON {table} WITH CHECK ({OF_MEMORY}); "
    f"ALTER POLICY changes ON {table} USING ({OF_MEMORY}) WITH CHECK ({OF_MEMORY}); "
    f"ALTER POLICY removes ON {table} USING ({OF_MEMORY})"
    for table in ("memory_version", "memory_source")
)


class Migration(migrations.Migration):
    dependencies = [("memory", "0017_version_without_words")]
    operations = [migrations.RunSQL(CHANGES, migrations.RunSQL.noop)]
