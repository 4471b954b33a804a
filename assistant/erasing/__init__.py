"""Erasing a person: what goes and in which order, the sweep that looks for what is left, the receipt that proves it."""
