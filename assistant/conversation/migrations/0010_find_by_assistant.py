from importlib import import_module

from django.db import migrations

FIND = import_module("memory.migrations.0021_find").FIND.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
WORDS = "    IF with_words AND given ? 'terms' THEN"
BY_ASSISTANT = FIND.replace(WORDS, f"""    IF given ? 'assistant' THEN
        rule := rule || format(
            ' AND EXISTS (SELECT FROM memory_source s JOIN conversation_conversation c ON c.id = s.conversation '
            'WHERE s.memory_id = m.id AND c.assistant_id = %L)', given ->> 'assistant');
    END IF;
{WORDS}""")
"""Also by the assistant that it was told to; here, as memory itself knows of no conversations."""


class Migration(migrations.Migration):
    dependencies = [("conversation", "0009_summary_walls"), ("memory", "0021_find")]
    operations = [migrations.RunSQL(BY_ASSISTANT, FIND)]
