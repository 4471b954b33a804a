"""Finding what is kept."""
