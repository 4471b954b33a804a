"""The golden set: what must be remembered and recalled, and what must not; existing data is not touched."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assistant import golden
from memory.golden.cases import SETS, Verdict


class Command(BaseCommand):
    help = "Play the golden set through the whole write path and say what is missing or wrong; nothing of it stays."

    def add_arguments(self, parser: CommandParser) -> None:
        """`--json`: `{"cases", "passed", "precision", "recall", "by_class": {…}, "sets": {…}}`."""
        parser.add_argument("--set", choices=[*SETS, "all"], default="all", help="which cases (all of them)")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--strict", action="store_true", help="end with an error where a case fails")

    def handle(self, *args: Any, **options: Any) -> None:
        """Failing cases are no error of the command, unless that is asked for."""
        names = SETS if options["set"] == "all" else (options["set"],)
        verdicts = golden.run(names)
        report = golden.report(verdicts)
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False))
        else:
            self._say(verdicts, report)
        if options["strict"] and report["passed"] < report["cases"]:
            raise CommandError(f"{report['cases'] - report['passed']} of {report['cases']} cases failed.")

    def _say(self, verdicts: dict[str, list[Verdict]], report: dict[str, Any]) -> None:
        for name, some in verdicts.items():
            for one in some:
                if not one.passed:
                    self.stdout.write(f"{one.case.id} ({name})")
                    self._lines("missing", one.missing)
                    self._lines("wrong", one.wrong)
        for name, figures in report["sets"].items():
            for kind, row in figures["by_class"].items():
                self.stdout.write(_row(f"{name} {kind}", row))
            self.stdout.write(_row(f"{name} in all", figures))

    def _lines(self, what: str, words: list[str]) -> None:
        for one in words:
            self.stdout.write(f"  {what:<8} {one}")


def _row(name: str, row: dict[str, Any]) -> str:
    shares = f"precision {row['precision']:.3f}  recall {row['recall']:.3f}"
    return f"{name:<22} {row['passed']:>3}/{row['cases']:<3} {shares}"
