from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0030_lexemes'),
    ]

    operations = [
        migrations.AddField(
            model_name='passage',
            name='kept_by',
            field=models.CharField(blank=True, max_length=60, verbose_name='looked after by'),
        ),
        migrations.AddField(
            model_name='passage',
            name='removed_at',
            field=models.DateTimeField(editable=False, help_text='Removed; only an undo brings it back.', null=True),
        ),
        migrations.AddField(
            model_name='passage',
            name='valid_from',
            field=models.DateField(blank=True, help_text='The first day; empty: always.', null=True, verbose_name='valid from'),
        ),
        migrations.AddField(
            model_name='passage',
            name='valid_to',
            field=models.DateField(blank=True, help_text='The last day; empty: for good.', null=True, verbose_name='valid until'),
        ),
    ]
