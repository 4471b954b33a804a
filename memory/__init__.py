"""What is kept about a person and a community."""
