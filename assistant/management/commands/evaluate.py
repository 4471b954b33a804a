"""How well recall finds what a data set asks for, beside BM25, cosine and their sum; existing data is not touched."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant import evaluation
from assistant.llm import embedding
from memory.evaluation import datasets


class Command(BaseCommand):
    help = "Load a data set as past exchanges of a throw-away member, recall what it asks for, and say how well."

    def add_arguments(self, parser: CommandParser) -> None:
        """`--json`: `{"dataset", "questions", "systems": {"kith": {"recall@5", …, "by_category"}, "bm25": …}}`."""
        parser.add_argument("--dataset", choices=datasets.NAMES, default="", help="which one, where several lie there")
        parser.add_argument("--path", type=Path, required=True, help="a file of the data set, or a folder with it")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--leave-one-out", action="store_true",
                            help="learn the weights from all other owners of the set, kept nowhere")  # fmt: skip
        parser.add_argument("--tokens", type=int, nargs="+", default=[], help="fill regions of so many tokens too")
        parser.add_argument("--limit", type=int, default=0, help="only so many questions, the first ones")

    def handle(self, *args: Any, **options: Any) -> None:
        """Progress goes to standard error."""
        try:
            data = datasets.read(options["path"], options["dataset"])
            report = evaluation.run(
                data, leave_one_out=options["leave_one_out"], limit=options["limit"], tokens=options["tokens"],
                say=self.stderr.write,
            )
        except (datasets.Unreadable, OSError) as problem:
            raise CommandError(str(problem)) from problem
        except embedding.Unavailable as problem:
            raise CommandError(f"The embedder fell silent ({problem}).") from problem
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False))
            return
        self.stdout.write(f"{report['dataset']}: {report['questions']} questions, vectors by {report['vectors']}")
        for name, row in report["systems"].items():
            low, high = row["interval"]["recall@10"]
            figures = "  ".join(f"{key} {row[key]:.3f}" for key in row if isinstance(row[key], float))
            self.stdout.write(f"{name:<8} {figures}  (recall@10 {low:.3f}–{high:.3f})")
            for category, part in row["by_category"].items():
                self.stdout.write(f"  {category:<14} {part['questions']:>5}  recall@10 {part['recall@10']:.3f}")
        for budget, row in report.get("tokens", {}).items():
            self.stdout.write(
                f"region of {budget:>5} tokens: {row['tokens']:.0f} spent, evidence {row['hit']:.3f}, all of it "
                f"{row['all']:.3f}, evidence per thousand tokens {row['hit_per_1000']:.2f}"
            )
