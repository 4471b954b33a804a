"""What the rooms above may want to hear of; memory itself never calls upwards."""

from django.dispatch import Signal

forgotten = Signal()
"""Sent after the commit with `member` (uuid): something of theirs was forgotten, so copies must go."""
