"""What the pieces of a streamed answer add up to: whole characters, storable, without a thinking block before them."""

from dataclasses import dataclass

_OPEN, _CLOSE = "<think>", "</think>"


@dataclass(slots=True)
class Pieces:
    """Feed it what arrives; it returns what may be shown. A piece may end in the middle of anything."""

    begun: bool = False
    """Whether the answer proper has begun, so that no thinking block can come any more."""
    held: str = ""

    def feed(self, piece: str) -> str:
        """The text that is certain by now; empty while it is not."""
        text, self.held = self.held + piece, ""
        if not self.begun:
            text = self._begin(text)
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self.held = text[:-1], text[-1:]
        return _whole(text)

    def rest(self) -> str:
        """What was still held back at the end."""
        left, self.held = self.held, ""
        return "" if left.lstrip().startswith(_OPEN) and not self.begun else _whole(left)

    def _begin(self, text: str) -> str:
        start = text.lstrip()
        if start.startswith(_OPEN):
            _, closed, after = start.partition(_CLOSE)
            after = after.lstrip()
            self.begun = bool(after)
            if not after:
                self.held = _OPEN + (closed or start[len(_OPEN) :][-len(_CLOSE) :])
            return after
        if _OPEN.startswith(start):
            self.held = text
            return ""
        self.begun = True
        return text


def _whole(text: str) -> str:
    """Halves of a character joined, lone halves and NUL gone: PostgreSQL stores neither."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore").replace("\x00", "")
