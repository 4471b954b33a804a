"""Tests: real PostgreSQL, Valkey, sockets and browser; only the language model is scripted."""
