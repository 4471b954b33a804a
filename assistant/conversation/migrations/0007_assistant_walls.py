from django.db import migrations

from profiles.walls import EDITORS, HERE, policy

ITS = "assistant_id IN (SELECT id FROM conversation_assistant)"


class Migration(migrations.Migration):
    dependencies = [("conversation", "0006_assistants")]
    operations = [
        migrations.RunPython(policy("conversation_assistant", HERE, f"{HERE} AND {EDITORS}")),
        migrations.RunPython(policy("conversation_assistant_spaces", ITS, f"{ITS} AND {EDITORS}")),
    ]
