"""The project: how the rooms are wired together."""
