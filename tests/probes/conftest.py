"""What the tests of the background path share."""

import pytest
from django.utils import timezone

from assistant.conversation.models import Turn
from tests.scripted import Scripted


@pytest.fixture
def chatting(script: Scripted) -> None:
    """Chat answers are of no matter here, and turns of other tests don't wait in the queue."""
    script.step(lambda seen: seen.streamed, "ok", endless=True)
    Turn.objects.using("owner").filter(remembered_at=None).update(remembered_at=timezone.now())
