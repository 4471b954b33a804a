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
    dependencies = [("memory", "0007_made_by"), ("profiles", "0003_words")]
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
    ]
