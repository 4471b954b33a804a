"""The golden set: hand-written cases of what must be remembered and recalled, and of what must not."""
