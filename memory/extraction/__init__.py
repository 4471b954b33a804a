"""Turning what was said into claims."""
