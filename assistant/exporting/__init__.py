"""Everything that is kept about a member, as files that the member takes away."""
