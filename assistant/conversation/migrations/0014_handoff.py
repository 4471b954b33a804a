from importlib import import_module

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from profiles.walls import STAFF

FIGURES = import_module("assistant.conversation.migrations.0012_turn_figures").FIGURES
QUEUES = import_module("assistant.conversation.migrations.0003_walls").QUEUES
HANDOFFS = f"""
CREATE FUNCTION kith_handoffs(only_one uuid, at_most int)
RETURNS TABLE (conversation uuid, owner uuid, person uuid, since timestamptz, words text[], waiting bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH waiting AS MATERIALIZED (
        SELECT t.conversation_id, t.owner_id, m.user_id, min(t.asked_at) AS since,
            array_agg(t.question ORDER BY t.asked_at, t.id) AS words
        FROM conversation_turn t JOIN profiles_membership m ON m.id = t.owner_id
        WHERE {STAFF} AND t.community_id = kith_context('community') AND t.state = 'waiting_human'
            AND m.frozen_at IS NULL AND (only_one IS NULL OR t.conversation_id = only_one)
        GROUP BY t.conversation_id, t.owner_id, m.user_id
    )
    SELECT w.*, (SELECT count(*) FROM waiting) FROM waiting w ORDER BY w.since, w.conversation_id LIMIT at_most
$$;
REVOKE ALL ON FUNCTION kith_handoffs FROM PUBLIC;
"""
"""The questions that wait for a person, for the staff of their community: these words, and no others of the talk."""


def _function(sql: str, name: str) -> str:
    """One function out of a migration, to be put in the place of what is there."""
    return "CREATE OR REPLACE FUNCTION " + name + sql.split("CREATE FUNCTION " + name)[1].split("$$;")[0] + "$$;"


WAITS = _function(QUEUES, "kith_turns_to_remember")
COUNTS = _function(FIGURES, "kith_turn_figures")


class Migration(migrations.Migration):
    dependencies = [
        ("conversation", "0013_token_scopes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.AddField(
            model_name="turn",
            name="author",
            field=models.ForeignKey(
                help_text="Who answered; empty: the assistant.", null=True,
                on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            model_name="turn",
            index=models.Index(
                condition=models.Q(("state", "waiting_human")), fields=["community"], name="turn_waits_for_a_person"
            ),
        ),
        migrations.RunSQL(HANDOFFS, "DROP FUNCTION kith_handoffs"),
        migrations.RunSQL(  # what waits for a person is read once it has ended
            WAITS.replace("t.state <> 'running'", "t.state NOT IN ('running', 'waiting_human')"), WAITS
        ),
        migrations.RunSQL(  # what a person answered says nothing about the assistant
            COUNTS.replace("t.state = 'answered'", "t.state = 'answered' AND t.author_id IS NULL"), COUNTS
        ),
    ]
