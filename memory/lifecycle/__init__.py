"""Keeping house: what fades, what goes cold, what goes."""
