"""The talk: conversations, turns, and the socket they run over."""
