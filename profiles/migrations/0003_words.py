from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('profiles', '0002_walls'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='community',
            options={'verbose_name': 'community', 'verbose_name_plural': 'communities'},
        ),
        migrations.AlterModelOptions(
            name='invitation',
            options={'verbose_name': 'invitation', 'verbose_name_plural': 'invitations'},
        ),
        migrations.AddField(
            model_name='community',
            name='translations',
            field=models.JSONField(blank=True, default=dict, help_text='By language: {“zh”: {“name”: …, “description”: …}}.'),
        ),
    ]
