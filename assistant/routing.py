"""Which role may change the schema: the owner, never the application."""


class OwnerMigrates:
    """Database router: migrations run as `owner` only; everything else uses `default`."""

    def allow_migrate(self, db: str, app_label: str, **hints: object) -> bool | None:
        """`migrate` without `--database=owner` changes nothing."""
        return db == "owner"
