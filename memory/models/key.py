"""The key of one member's, under which their forgotten and archived words are kept."""

from django.db import models


class Key(models.Model):
    """A table of its own: an erasure destroys the key first, and what is left of it anywhere opens no more."""

    owner = models.OneToOneField("profiles.Membership", models.CASCADE, primary_key=True, related_name="key")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    wrapped = models.BinaryField(help_text="Encrypted under the installation's key.")
    shelf = models.PositiveIntegerField(default=0, help_text="The version of the archive file that counts.")
    made_at = models.DateTimeField(auto_now_add=True)
