"""The Chinese interface is complete: every text translated, nothing left over, placeholders kept, compiled."""

import pytest
from django.utils.translation import gettext, ngettext, override

from tests import translations

WANTED = translations.wanted()
HELD = translations.held()


def test_every_text_is_in_the_catalogue_and_nothing_else() -> None:
    assert sorted(set(WANTED) - set(HELD)) == [], "run: python -m tests.translations"
    assert sorted(set(HELD) - set(WANTED)) == [], "run: python -m tests.translations"


def test_every_text_has_a_translation_that_is_sure() -> None:
    bad = [key[1] for key, entry in HELD.items() if entry.fuzzy or not entry.translated()]
    assert bad == []


def test_placeholders_are_the_same_in_both_languages() -> None:
    bad = []
    for (_, text, plural), entry in HELD.items():
        said = list(entry.msgstr_plural.values()) if plural else [entry.msgstr]
        if any(translations.places(words) != translations.places(plural or text) for words in said):
            bad.append(text)
    assert bad == []


def test_the_compiled_catalogue_is_what_the_written_one_says() -> None:
    assert translations.compiled(translations.MO) == translations.compiled(translations.PO)


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"])
def test_the_entrance_speaks_the_language_of_the_browser(path: str) -> None:
    from django.test import Client

    page = Client(headers={"accept-language": "zh-CN,zh;q=0.9"}, HTTP_HOST="127.0.0.1").get(path).content.decode()
    assert 'lang="zh-hans"' in page
    for left_over in ("Sign", "Password", "Username", "Account", "account</", "Reset", "Email"):
        assert left_over not in page.split("<main")[1], left_over


def test_chinese_is_spoken_where_it_is_asked_for() -> None:
    with override("zh-hans"):
        assert gettext("My memory") == "我的记忆"
        one = "The assistant remembers %(n)s thing about you."
        assert "3" in ngettext(one, "The assistant remembers %(n)s things about you.", 3) % {"n": 3}
    with override("en"):
        assert gettext("My memory") == "My memory"
