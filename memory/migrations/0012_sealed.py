import json

import django.db.models.deletion
from django.db import migrations, models

from memory import keys
from profiles.walls import owned, policy


def seal(apps, editor):
    """What was forgotten before this leaves the tables too."""
    Key, Memory, Source, Version = (apps.get_model("memory", name) for name in ("Key", "Memory", "Source", "Version"))
    using = editor.connection.alias
    forgotten = Memory.objects.using(using).filter(status="forgotten").exclude(text="")
    for memory in forgotten.iterator():
        if memory.owner_id is None:
            key = keys.of_community(memory.community_id)
        else:
            about = str(memory.owner_id)
            fresh = {"community_id": memory.community_id, "wrapped": keys.wrapped(about)}
            kept, _ = Key.objects.using(using).get_or_create(owner_id=memory.owner_id, defaults=fresh)
            key = keys.unwrapped(bytes(kept.wrapped), about)
        versions = Version.objects.using(using).filter(memory_id=memory.id)
        sources = Source.objects.using(using).filter(memory_id=memory.id)
        names = ("text", "value", "subject", "slot", "terms")
        words = {
            "row": {name: getattr(memory, name) for name in names},
            "versions": {str(v.number): {"text": v.text, "value": v.value, "content": v.content} for v in versions},
            "quotes": {str(source.turn): source.quote for source in sources},
        }
        content = json.dumps(words, ensure_ascii=False).encode()
        sources.update(quote="")
        versions.update(text="", value="", content={})
        Memory.objects.using(using).filter(id=memory.id).update(
            sealed=keys.shut(key, content, str(memory.id)), text="", value="", subject="", slot="", terms=[]
        )


class Migration(migrations.Migration):
    dependencies = [("memory", "0011_keeping_house"), ("profiles", "0004_kept_at")]
    operations = [
        migrations.CreateModel(
            name="Key",
            fields=[
                ("owner", models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True,
                                               related_name="key", serialize=False, to="profiles.membership")),
                ("wrapped", models.BinaryField(help_text="Encrypted under the installation's key.")),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("community", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE,
                                                to="profiles.community")),
            ],
        ),
        migrations.RunPython(policy("memory_key", *owned("owner_id"))),
        migrations.AddField(
            "memory",
            "sealed",
            models.BinaryField(help_text="What it said, encrypted, while it is forgotten.", null=True),
        ),
        migrations.RunPython(seal, migrations.RunPython.noop),
    ]
