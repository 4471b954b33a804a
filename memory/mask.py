"""Door: text with the words of forgotten memories blacked out, wherever it was kept."""

from collections.abc import Callable

from memory import sealed, standing
from memory.models import Memory
from memory.terms import Status
from profiles.access import Reader

MARK = "█"
SHORTEST = 2
"""Code points; a shorter phrase would black out half of any text."""


def masker(reader: Reader) -> Callable[[str], str]:
    """A function that blacks out what the reader's forgotten memories said: sentence, value and source words.

    What a memory that stands says too is left as it is. Read inside the reader's unit of work.
    """
    own = Memory.objects.filter(owner_id=reader.member, community_id=reader.community)
    gone = own.filter(status=Status.FORGOTTEN).exclude(id__in=standing.unwished())
    said = [words.said() for words in sealed.all_words(reader.member, gone)]
    if not said:
        return lambda text: text
    known = {words for pair in own.exclude(status=Status.FORGOTTEN).values_list("text", "value") for words in pair}
    words = set().union(*said) - known
    phrases = sorted((phrase for phrase in words if len(phrase) >= SHORTEST), key=len, reverse=True)

    def masked(text: str) -> str:
        for phrase in phrases:
            text = text.replace(phrase, MARK)
        return text

    return masked
