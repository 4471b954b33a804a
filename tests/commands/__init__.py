"""Management commands, as an operator calls them."""
