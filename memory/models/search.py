"""A find that somebody of the staff has saved under a name."""

import uuid

from django.db import models


class Search(models.Model):
    """The fields of the form as a query string, without the reason: that is given anew each time."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey("profiles.Membership", models.CASCADE, related_name="searches")
    community = models.ForeignKey("profiles.Community", models.CASCADE)
    name = models.CharField(max_length=60)
    query = models.TextField()

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="search_name_once")]
