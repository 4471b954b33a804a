"""Learn the weights of recall from data that may be shipped; they are kept only where they beat the fixed ones."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant import evaluation
from assistant.llm import embedding
from memory.evaluation import datasets
from memory.retrieval import ranker

SETS = ("madial-zh", "madial-en", "memorybank-zh")
"""Under a licence by which their numbers may be shipped."""


class Command(BaseCommand):
    help = "Learn how much each feature of a past exchange counts, from data whose licence lets us ship the numbers."

    def add_arguments(self, parser: CommandParser) -> None:
        """Prints one JSON object; with `--write` the package's numbers are changed too, where the learned ones win."""
        parser.add_argument("--path", type=Path, required=True, help="a folder with the data sets")
        parser.add_argument("--write", action="store_true", help="keep them in the package if they win")

    def handle(self, *args: Any, **options: Any) -> None:
        """Conversations that a fold leaves out are never learned from."""
        try:
            sets = [datasets.read(options["path"], name) for name in SETS]
            report = evaluation.train(sets, self.stderr.write)
        except (datasets.Unreadable, OSError) as problem:
            raise CommandError(str(problem)) from problem
        except embedding.Unavailable as problem:
            raise CommandError(f"The embedder fell silent ({problem}).") from problem
        self.stdout.write(json.dumps(report, ensure_ascii=False))
        if options["write"]:
            better = report["unseen"]["learned"] > report["unseen"]["fixed"]
            ranker.keep(ranker.EVENTS, report if better else None)
