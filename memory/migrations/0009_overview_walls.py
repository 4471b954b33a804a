from django.db import migrations

from profiles.walls import owned, policy


class Migration(migrations.Migration):
    dependencies = [("memory", "0008_overview")]
    operations = [migrations.RunPython(policy("memory_overview", *owned("owner_id")))]
