"""The bundled embedder behind a wall: a process of its own that speaks the OpenAI embeddings shape."""
