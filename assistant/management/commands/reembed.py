"""Vectors of every text by the embedder that is configured, or by the one that is to be configured next."""

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant import vectorising
from assistant.llm import embedding
from memory import vectors


class Command(BaseCommand):
    help = (
        "Make the vectors that are missing, while everything goes on being found by those that are there. Before a "
        "change of the embedder: name the new one here, let this run to its end, then configure it and restart: "
        "recall has no gap. Run again after a kill, it goes on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """`--json`: `{"embedder", "made", "have", "of", "dropped"}`."""
        parser.add_argument("--base-url", metavar="URL", help="of the embedder to come; default: the configured one")
        parser.add_argument("--model", metavar="NAME", help="its model")
        parser.add_argument("--dimensions", type=int, metavar="N", help="its dimensions, where it has a choice")
        parser.add_argument("--drop-others", action="store_true", help="at the end, delete the vectors of all others")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """What is configured elsewhere stays as it is: this process alone asks the one that is named."""
        for option, name in (("base_url", "EMBEDDING_BASE_URL"), ("model", "EMBEDDING_MODEL"),
                             ("dimensions", "EMBEDDING_DIMENSIONS")):  # fmt: skip
            if options[option] is not None:
                setattr(settings, name, options[option])
        if "owner" not in settings.DATABASES:
            raise CommandError("DATABASE_ADMIN_URL is needed: nobody else may count everybody's texts.")
        made = dropped = 0
        try:
            by = vectorising.maker()
            have, wanted = vectorising.counted(by)
            for count in vectorising.make(by):
                made += count
                self.stderr.write(f"{min(have + made, wanted)}/{wanted} texts")
        except (embedding.Unavailable, vectors.WrongSize) as problem:
            raise CommandError(f"The embedder gave no more vectors: {problem}. What was made is kept.") from None
        have, wanted = vectorising.counted(by)
        if options["drop_others"]:
            if have < wanted:
                raise CommandError(f"{wanted - have} texts have no vector of {by.key} yet: the others stay.")
            dropped = vectorising.drop_others(by)
        if options["json"]:
            told = {"embedder": by.key, "made": made, "have": have, "of": wanted, "dropped": dropped}
            self.stdout.write(json.dumps(told))
        else:
            self.stdout.write(f"{by.key}: {made} made, {have} of {wanted} texts have one, {dropped} of others deleted.")
