"""What each database role may do, granted anew after every migration."""

from typing import Any

from django.conf import settings
from django.db import connections

APPLICATION_ONLY_READS = ("memory_auditevent", "memory_audittext", "memory_pseudonym", "django_migrations")
FUNCTIONS = (
    "kith_audit(uuid, uuid, text, uuid, uuid, text)",
    "kith_pseudonym(uuid, uuid)",
    "kith_turns_to_remember(int)",
    "kith_conversations_to_fold(int)",
    "kith_silent_turns(int)",
    "kith_looks()",
    "kith_token(text)",
    "kith_waiting_vectors(int, int)",
    "kith_members_to_keep(int, int)",
    "kith_enter(uuid, uuid)",
    "kith_review(int, timestamptz, uuid, uuid, int)",
    "kith_memories(jsonb, boolean, int, int)",
    "kith_exports()",
    "kith_audit_about_me()",
    "kith_handoffs(uuid, int)",
    "kith_turn_figures(timestamptz, text)",
    "kith_alike(timestamptz, float8, int)",
    "kith_propose(uuid[])",
    "kith_proposals(int)",
    "kith_imports()",
    "kith_quality(timestamptz, text, text[], text, int)",
)


class WeakWalls(Exception):
    """The application's role could see through the row policies; the text says why."""


def grant() -> None:
    """Give the application, the sweep and the eraser their rights; the owner runs it."""
    app, sweep, erase = (settings.DATABASE_ROLES[name] for name in ("app", "sweep", "erase"))
    statements = [
        f'GRANT USAGE ON SCHEMA public TO "{app}"',
        f'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "{app}"',
        f'GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO "{app}"',
        *(f'REVOKE INSERT, UPDATE, DELETE ON {table} FROM "{app}"' for table in APPLICATION_ONLY_READS),
        *(f'GRANT EXECUTE ON FUNCTION {function} TO "{app}"' for function in FUNCTIONS),
    ]
    if sweep:
        statements.append(f'GRANT SELECT ON ALL TABLES IN SCHEMA public TO "{sweep}"')
    if erase:
        statements.append(f'GRANT SELECT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "{erase}"')
        statements.append(f'GRANT INSERT ON profiles_erasurerequest TO "{erase}"')
    with connections["owner"].cursor() as cursor:
        for statement in [*statements, *_beyond_walls(cursor, sweep, erase)]:
            cursor.execute(statement)


def _beyond_walls(cursor: Any, sweep: str | None, erase: str | None) -> list[str]:
    """Who erases, and who looks afterwards, sees everybody's rows; neither adds to or changes the audit's skeleton."""
    cursor.execute("SELECT relname FROM pg_class WHERE relrowsecurity ORDER BY relname")
    statements = [f'REVOKE UPDATE, DELETE ON memory_auditevent FROM "{erase}"'] if erase else []
    for (table,) in cursor.fetchall():
        statements += [f"DROP POLICY IF EXISTS sweeps ON {table}", f"DROP POLICY IF EXISTS erases ON {table}"]
        if sweep:
            statements.append(f'CREATE POLICY sweeps ON {table} FOR SELECT TO "{sweep}" USING (true)')
        if erase:
            statements.append(f'CREATE POLICY erases ON {table} TO "{erase}" USING (true) WITH CHECK (true)')
    return statements


def check() -> None:
    """Refuse an application role that row policies don't bind, and a pgvector that is too old."""
    with connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT rolsuper OR rolbypassrls OR EXISTS (SELECT 1 FROM pg_class WHERE relname = 'memory_memory' "
            "AND relowner = pg_roles.oid) FROM pg_roles WHERE rolname = current_user"
        )
        row = cursor.fetchone()
        if row and row[0]:
            raise WeakWalls(
                "the role in DATABASE_URL owns the tables or bypasses row policies; give it one that does neither, "
                "and the owner in DATABASE_ADMIN_URL"
            )
        cursor.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        found = cursor.fetchone()
    version = tuple(int(part) for part in found[0].split(".")) if found else ()
    if version < (0, 8, 4):
        raise WeakWalls(f"pgvector 0.8.4 or newer is needed, the database has {found[0] if found else 'none'}")
