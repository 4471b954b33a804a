"""Benchmarks: what the product takes in time and memory, as a table and as JSON."""
