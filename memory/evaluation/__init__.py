"""How well recall finds: data sets, figures, and the learned ranker's numbers."""
