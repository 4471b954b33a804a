import uuid

import django.db.models.deletion
from django.db import migrations, models

from memory.extraction.ties import ties
from memory.wording import key
from profiles.walls import owned, policy

ENTITIES = ("person", "place", "organisation", "project", "tool", "event", "thing")
RELATIONS = {
    "lives_in": "lives in", "comes_from": "comes from", "works_in": "works in", "works_at": "works at", "uses": "uses",
    "visits": "has been in, or goes to", "attends": "takes part in",
    "leads": "leads", "led_by": "is led by", "needs": "needs", "depends_on": "depends on", "part_of": "is part of",
    "family": "is family of", "works_with": "works with", "knows": "knows",
}
OF_MEMORY = "EXISTS (SELECT 1 FROM memory_memory m WHERE m.id = memory_id)"
OWNED, _ = owned("owner_id")


def link(apps, editor):
    """What is remembered already names things too; what is sealed or on the shelf does not, as long as it is."""
    Memory, Entity, Edge = (apps.get_model("memory", name) for name in ("Memory", "Entity", "Edge"))
    using = editor.connection.alias
    for memory in Memory.objects.using(using).exclude(owner=None).exclude(text="").iterator():
        whose = {"community_id": memory.community_id, "owner_id": memory.owner_id}
        for tie in ties(memory.subject, memory.attribute, memory.value, memory.text):
            ends = []
            for one in (tie.subject, tie.object):
                found = one and Entity.objects.using(using).get_or_create(
                    owner_id=memory.owner_id, normal=key(one.name), kind=one.kind,
                    defaults={"name": one.name, "community_id": memory.community_id},
                )[0]
                ends.append(found)
            Edge.objects.using(using).get_or_create(
                memory=memory, subject=ends[0], relation=tie.relation, object=ends[1], defaults=whose
            )


class Migration(migrations.Migration):
    dependencies = [("memory", "0018_walls_by_index"), ("profiles", "0005_reviewed_at")]
    operations = [
        migrations.CreateModel(
            name="Entity",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.TextField(help_text="As it was first written.")),
                ("kind", models.CharField(choices=[(name, name) for name in ENTITIES], max_length=12)),
                ("normal", models.TextField(help_text="One form for equal names.")),
                ("community", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="profiles.community")),
                ("owner", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="entities",
                                            to="profiles.membership")),
            ],
            options={"verbose_name_plural": "entities"},
        ),
        migrations.CreateModel(
            name="Edge",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("relation", models.CharField(choices=list(RELATIONS.items()), max_length=12)),
                ("community", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="profiles.community")),
                ("memory", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="edges",
                                             to="memory.memory")),
                ("owner", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="profiles.membership")),
                ("object", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="into",
                                             to="memory.entity")),
                ("subject", models.ForeignKey(help_text="Empty: the member.", null=True, related_name="out",
                                              on_delete=django.db.models.deletion.CASCADE, to="memory.entity")),
            ],
        ),
        migrations.AddConstraint(
            "entity", models.UniqueConstraint(fields=("owner", "normal", "kind"), name="entity_once")
        ),
        migrations.AddConstraint(
            "edge",
            models.UniqueConstraint(
                fields=("memory", "subject", "relation", "object"), name="edge_once", nulls_distinct=False
            ),
        ),
        migrations.RunPython(policy("memory_entity", OWNED, OWNED), migrations.RunPython.noop),
        migrations.RunPython(
            policy("memory_edge", f"{OWNED} AND {OF_MEMORY}", f"{OWNED} AND {OF_MEMORY}"), migrations.RunPython.noop
        ),
        migrations.RunPython(link, migrations.RunPython.noop),
    ]
