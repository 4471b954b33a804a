"""Erasures, from the request to the receipt."""
