from django.db import migrations

from profiles.walls import EDITORS, FUNCTIONS, HERE, STAFF, owned, policy

MEMBERSHIP_READ = f"user_id = kith_context('person') OR ({HERE} AND {STAFF})"
MEMBERSHIP_WRITE = f"user_id = kith_context('person') OR ({HERE} AND kith_role() = 'admin')"
OF_MEMBERSHIP = "membership_id IN (SELECT id FROM profiles_membership)"


class Migration(migrations.Migration):
    dependencies = [("profiles", "0001_initial")]
    operations = [
        migrations.RunSQL(FUNCTIONS, migrations.RunSQL.noop),
        migrations.RunPython(policy("profiles_membership", MEMBERSHIP_READ, MEMBERSHIP_WRITE)),
        migrations.RunPython(policy("profiles_membership_spaces", OF_MEMBERSHIP, OF_MEMBERSHIP)),
        migrations.RunPython(policy("profiles_space", HERE, f"{HERE} AND {EDITORS}")),
        migrations.RunPython(policy("profiles_profile", *owned("membership_id"))),
        migrations.RunPython(policy("profiles_profilechange", *owned("membership_id"))),
    ]
