"""The row policies, as SQL: what the database lets a unit of work see, whatever the code asks.

Context comes from `SET LOCAL` alone (`profiles.access.scoped`); with none, every policy is false.
"""

from collections.abc import Callable
from typing import Any

FUNCTIONS = """
CREATE FUNCTION kith_context(name text) RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT NULLIF(current_setting('kith.' || name, true), '')::uuid $$;
CREATE FUNCTION kith_role() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT COALESCE(current_setting('kith.role', true), '') $$;
CREATE FUNCTION kith_in_space(space uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT space::text = ANY(string_to_array(COALESCE(current_setting('kith.spaces', true), ''), ',')) $$;
"""
HERE = "community_id = kith_context('community')"
STAFF = "kith_role() IN ('moderator', 'auditor', 'admin')"
EDITORS = "kith_role() IN ('moderator', 'admin')"


def owned(column: str) -> tuple[str, str]:
    """Read: the reader's own rows, or those of the member that staff opened. Write: the same."""
    rule = f"{HERE} AND {column} IN (kith_context('member'), kith_context('subject'))"
    return rule, rule


def shared() -> tuple[str, str]:
    """Read: the community's and the reader's spaces'. Write: moderators and admins."""
    read = f"{HERE} AND (space_id IS NULL OR kith_in_space(space_id))"
    return read, f"{read} AND {EDITORS}"


def policy(table: str, read: str, write: str) -> Callable[[Any, Any], None]:
    """A migration step that walls one table in."""
    statements = (
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"CREATE POLICY reads ON {table} FOR SELECT USING ({read})",
        f"CREATE POLICY adds ON {table} FOR INSERT WITH CHECK ({write})",
        f"CREATE POLICY changes ON {table} FOR UPDATE USING ({read}) WITH CHECK ({write})",
        f"CREATE POLICY removes ON {table} FOR DELETE USING ({write})",
    )

    def apply(apps: Any, editor: Any) -> None:
        for statement in statements:
            editor.execute(statement)

    return apply
