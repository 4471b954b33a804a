"""What would be recalled for a question, with the parts of each score; nothing is recorded."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant.llm import embedding
from assistant.management import whom
from memory import policy
from memory import recall as recalling
from memory.models import Memory
from memory.recall import Found, Hit
from memory.vectors import Meaning
from profiles.access import Reader, scoped


class Command(BaseCommand):
    help = "Show what a member's question would recall, with the parts of each score (0..1); nothing is recorded."

    def add_arguments(self, parser: CommandParser) -> None:
        """`--json`: `{"memories": [{"id", "text", "kind", "status", "score", "parts"}], "route": {…}, …}`."""
        whom.arguments(parser)
        parser.add_argument("text", help="the question")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """As a turn does it: with the question's vectors, or by words alone, which is noted."""
        text = options["text"].replace("\x00", " ").encode("utf-8", "replace").decode()[: policy.ASK_LIMIT]
        if not text.strip():
            raise CommandError("The question is empty.")
        reader = whom.member(options["user"], options["community"])
        meaning, notes = _meaning(text)
        with scoped(reader):
            found = recalling.recall(reader, text, meaning=meaning)
            report = _report(reader, found, notes)
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False, default=str))
            return
        for part in ("memories", "episodes", "knowledge"):
            for hit in report[part]:
                parts = " ".join(f"{name} {share:.2f}" for name, share in hit["parts"].items())
                self.stdout.write(f"{hit['score']:.3f}  {part}  {hit['text']}  ({parts})")
        for note in report["route"]["notes"]:
            self.stdout.write(f"note: {note}")


def _meaning(text: str) -> tuple[Meaning | None, list[str]]:
    try:
        return embedding.query([text]), []
    except embedding.Unavailable as problem:
        return None, [f"no embedder ({problem}): words alone"]


def _report(reader: Reader, found: Found, notes: list[str]) -> dict[str, Any]:
    notes = list(dict.fromkeys([*notes, *found.notes]))
    hidden = reader.memory_on is False
    if hidden:
        notes.append("memory is switched off by the member")
    rows = Memory.objects.readable_by(reader).in_bulk([hit.id for hit in found.memories])
    memories = [
        _hit(hit) | {"kind": rows[hit.id].kind, "status": rows[hit.id].status}
        for hit in found.memories if hit.id in rows and not hidden
    ]  # fmt: skip
    return {
        "memories": memories, "episodes": [_hit(hit) for hit in found.episodes if not hidden],
        "knowledge": [_hit(hit) | {"title": hit.title} for hit in found.knowledge], "route": {"notes": notes},
    }  # fmt: skip


def _hit(hit: Hit) -> dict[str, Any]:
    return {"id": str(hit.id), "text": hit.text, "score": hit.score, "parts": hit.parts}
