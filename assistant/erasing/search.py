"""Where words stand in the database, whatever the table or the column; as the sweep, which sees all rows."""

import re
import uuid
from collections import defaultdict
from collections.abc import Sequence

from django.db import connections

_WORDS = "strpos(lower(line.words), lower(%s)) > 0"
_ADDRESS = "line.words ~* %s"
AT_ONCE = 40
"""Words looked for in one pass over a table."""


def tables() -> list[str]:
    """Every table, ours or not."""
    with connections["sweep"].cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
        return [row[0] for row in cursor.fetchall()]


def holding(words: Sequence[str], *, but: Sequence[uuid.UUID] = ()) -> dict[str, dict[str, int]]:
    """Word → table → rows that hold it in some column, but those that name one of `but`. Case counts for nothing."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    without = [f"%{one}%" for one in but]
    with connections["sweep"].cursor() as cursor:
        for table in tables():
            read = _columns(table)
            for start in range(0, len(words), AT_ONCE):
                some = words[start : start + AT_ONCE]
                stand = (_ADDRESS if _is_address(one) else _WORDS for one in some)
                counts = ", ".join(f"count(*) FILTER (WHERE {one})" for one in stand)
                where = "NOT line.words LIKE ANY(%s)" if without else "true"
                cursor.execute(
                    f'SELECT {counts} FROM (SELECT {read} AS words FROM "{table}" t) line WHERE {where}',  # noqa: S608
                    [*(_whole(one) if _is_address(one) else one for one in some), *([without] if without else [])],
                )
                for word, count in zip(some, cursor.fetchone(), strict=True):
                    if count:
                        found[word][table] = count
    return found


def stands(words: str, text: str) -> bool:
    """Whether they stand in the text; an address as a whole, not as the end or the beginning of another one."""
    return bool(re.search(_whole(words), text, re.IGNORECASE)) if _is_address(words) else words in text


def _is_address(words: str) -> bool:
    """Also as a page's address has it."""
    return "@" in words or "%40" in words


def _whole(address: str) -> str:
    """As Python and PostgreSQL both read it."""
    return rf"(?<![A-Za-z0-9._%+-]){re.escape(address)}(?![A-Za-z0-9-]|\.[A-Za-z0-9])"


def _columns(table: str) -> str:
    """All columns as one text, each as it is; numbers of vectors say nothing that could be looked for."""
    with connections["sweep"].cursor() as cursor:
        cursor.execute(
            "SELECT quote_ident(column_name) FROM information_schema.columns "
            "WHERE table_schema = 'public' AND table_name = %s AND udt_name <> 'vector'", [table],
        )  # fmt: skip
        names = [row[0] for row in cursor.fetchall()]
    return f"concat_ws(E'\\n', {', '.join(f't.{name}::text' for name in names)})" if names else "''"
