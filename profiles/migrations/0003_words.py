import django.db.models.deletion
import profiles.models
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
            field=models.JSONField(blank=True, default=dict, help_text='By language: {“zh”: {“name”: …, “description”: …}}.', verbose_name='in other languages'),
        ),
        migrations.AlterField(
            model_name='community',
            name='description',
            field=models.TextField(blank=True, verbose_name='description'),
        ),
        migrations.AlterField(
            model_name='community',
            name='is_open',
            field=models.BooleanField(default=False, help_text='Anyone with an account may join.', verbose_name='open'),
        ),
        migrations.AlterField(
            model_name='community',
            name='name',
            field=models.CharField(max_length=120, verbose_name='name'),
        ),
        migrations.AlterField(
            model_name='community',
            name='slug',
            field=models.SlugField(unique=True, verbose_name='short name in addresses'),
        ),
        migrations.AlterField(
            model_name='invitation',
            name='code',
            field=models.CharField(default=profiles.models._code, max_length=24, unique=True, verbose_name='code'),
        ),
        migrations.AlterField(
            model_name='invitation',
            name='community',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='profiles.community', verbose_name='community'),
        ),
        migrations.AlterField(
            model_name='invitation',
            name='expires_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='valid until'),
        ),
        migrations.AlterField(
            model_name='invitation',
            name='role',
            field=models.CharField(choices=[('member', 'member'), ('moderator', 'moderator'), ('auditor', 'auditor'), ('admin', 'admin')], default='member', max_length=12, verbose_name='role'),
        ),
        migrations.AlterField(
            model_name='invitation',
            name='uses_left',
            field=models.PositiveIntegerField(default=1, verbose_name='uses left'),
        ),
    ]
