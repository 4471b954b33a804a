import django.core.serializers.json
import django.db.models.deletion
from django.db import migrations, models

LEAVING = """
CREATE FUNCTION kith_membership_ends() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    DELETE FROM memory_audittext WHERE subject = OLD.id AND community_id = OLD.community_id;
    DELETE FROM memory_pseudonym WHERE member_id = OLD.id;
    RETURN OLD;
END $$;
REVOKE ALL ON FUNCTION kith_membership_ends FROM PUBLIC;
CREATE TRIGGER membership_ends BEFORE DELETE ON profiles_membership
FOR EACH ROW EXECUTE FUNCTION kith_membership_ends();
"""
"""The application may not touch the audit; with a membership its name and words leave the chain all the same."""


class Migration(migrations.Migration):
    dependencies = [("memory", "0009_overview_walls"), ("profiles", "0003_words")]
    operations = [
        migrations.AddField(
            "version",
            "content",
            models.JSONField(
                default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder,
                help_text="The rest of what it said: slot, kind, dates.",
            ),
        ),
        migrations.AlterField(
            "pseudonym",
            "member",
            models.ForeignKey(on_delete=django.db.models.deletion.DO_NOTHING, to="profiles.membership"),
        ),
        migrations.RunSQL(LEAVING, migrations.RunSQL.noop),
        migrations.AlterModelOptions("document", {"verbose_name": "document", "verbose_name_plural": "documents"}),
        migrations.AlterModelOptions("passage", {"verbose_name": "passage", "verbose_name_plural": "passages"}),
        migrations.AlterField("document", "key", models.CharField(max_length=200, verbose_name="key")),
        migrations.AlterField(
            "document",
            "space",
            models.ForeignKey(
                blank=True, help_text="Empty: for the whole community.", null=True,
                on_delete=django.db.models.deletion.CASCADE, to="profiles.space", verbose_name="space",
            ),
        ),
        migrations.AlterField("document", "title", models.CharField(max_length=200, verbose_name="title")),
        migrations.AlterField(
            "document", "updated_at", models.DateTimeField(auto_now=True, verbose_name="last change")
        ),
        migrations.AlterField("passage", "text", models.TextField(verbose_name="text")),
        migrations.AlterField("passage", "title", models.CharField(max_length=200, verbose_name="title")),
        migrations.AlterField(
            "passage", "verified_by", models.CharField(blank=True, max_length=60, verbose_name="verified by")
        ),
    ]
