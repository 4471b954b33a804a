"""An answer as HTML: source text, formulas, tables and citations; and whatever a model writes does no harm."""

import time
import uuid
from html.parser import HTMLParser

import pytest
from pygments.lexers import get_lexer_by_name

from assistant.conversation import formulas, highlighting, render
from assistant.conversation.render import Cited

CITE = Cited(1, uuid.UUID(int=7), "/me/memory/7/", "m1")


class Elements(HTMLParser):
    """The elements and attributes of some HTML, as a browser would see them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}


@pytest.mark.parametrize("text", [
    "$5 and $10", "¥5", "US$5 to US$10", "5$ or 10$", "I have $5 or 10$.", "between $1,000 and $2,000.50", "$HOME/$USER",
    "echo $PATH and $HOME", "$", "$$", "$ x $", "a $ b $ c", "这要 $5 或者 10$。",
])  # fmt: skip
def test_money_and_names_of_a_shell_stay_text(text: str) -> None:
    assert render.html(text, []).strip() == f"<p>{text}</p>"


@pytest.mark.parametrize(("text", "shape"), [
    ("so $x^2$ it is", "<msup>"), ("所以$\\frac{a}{b}$。", "<mfrac>"), ("\\(a+b\\)", 'display="inline"'),
    ("\\[\na = b\n\\]", 'display="block"'), ("$$\n\\sum_i x_i\n$$", 'display="block"'), ("> $$x$$", "<blockquote>"),
    ("$$\\begin{aligned}a&=b\\\\c&=d\\end{aligned}$$", "<mtr>"), ("| a |\n|-|\n| $x_1$ |", "<msub>"), ("$x$", 'alttext="x"'),
])  # fmt: skip
def test_a_formula_becomes_mathml(text: str, shape: str) -> None:
    html = render.html(text, [])
    assert "<math" in html
    assert shape in html


@pytest.mark.parametrize("text", ["$\\frac{$", "$x^2^3$", "$$\\left($$", "$_$", "$" + "{" * 900 + "$", "$\\def\\x{\\x}\\x$"])
def test_a_formula_that_cannot_be_read_is_shown_as_it_was_written(text: str) -> None:
    assert render.html(text, []).strip() == f"<p><code>{text}</code></p>"


@pytest.mark.parametrize("text", [
    "$\\text{<img src=x onerror=alert(1)>}$", "$\\text{</mtext></math><script>alert(1)</script>}$",
    "$\\href{javascript:alert(1)}{x}$", "$\\style{background:url(//x)}{x}$", "$\\class{bubble}{x}$",
    "$\\text{&lt;script&gt;}$", '$"onmouseover="alert(1)$', '```"><img/onerror=alert(1)>\nx\n```', "``` onload=x\nx\n```",
    "```html\n<script>alert(1)</script>\n```", "```python\n# </code></pre><script>\n```", "[a](javascript:alert(1))",
    "[a](data:text/html,<script>)", "[a](vbscript:x)", "<javascript:alert(1)>", "![a](https://x.example/y.png)",
    "[a](https://x.example 'onclick=\"x')", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\ue000m1\ue001",
    "| <svg onload=x> |\n|-|\n| <math><mtext><style><img onerror=x> |", "$\\begin{matrix}<svg onload=x>\\end{matrix}$",
    "[a](//x.example/[m1])", "`[m1]`<a href=x class=cite>",
])  # fmt: skip
def test_nothing_that_acts_comes_through(text: str) -> None:
    seen = Elements(render.html(text, [CITE]))
    assert seen.tags <= render._TAGS | formulas.TAGS
    names = {"href", "rel", "title", "class", "data-language", "data-source"} | formulas.ATTRIBUTES
    assert {name for name, _ in seen.attributes} <= names
    for name, value in seen.attributes:
        assert name != "href" or value.startswith(("https:", "//", "/me/memory/")), value
        assert name != "class" or value in highlighting.CLASSES | {"cite"}


@pytest.mark.parametrize(("language", "shown"), [("python", "python"), ("C++", "C++"), ("text", "text"), ("", ""), ("<x>", ""), ("x" * 21, "")])
def test_source_text_is_named_marked_and_unchanged(language: str, shown: str) -> None:
    source = "def f(x):\n    return x[m1] < 1 and 'a&b'  # one\n"
    html = render.html(f"```{language}\n{source}```", [CITE])
    assert [value for name, value in Elements(html).attributes if name == "data-language"] == ([shown] if shown else [])
    assert ("code-keyword" in html) == (language in ("python", "C++"))
    texts: list[str] = []
    reader = HTMLParser()
    reader.handle_data = texts.append  # type: ignore[method-assign]
    reader.feed(html)
    assert "".join(texts).strip() == source.strip(), "no marker is taken out of source text"


def test_each_language_has_a_reader() -> None:
    assert [name for name in highlighting.LANGUAGES if not get_lexer_by_name(name).aliases] == []


def test_a_marker_in_running_text_is_a_citation_and_one_that_names_nothing_is_left_out() -> None:
    html = render.html("Tea [m1], not [m2]. `x[m1]`", [CITE])
    assert html == (
        f'<p>Tea <a class="cite" href="/me/memory/7/" data-source="{CITE.id}">1</a>, not . <code>x[m1]</code></p>\n'
    )


def test_what_would_take_long_is_left_as_it_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    long = f"${'x+' * formulas.LONGEST}x$"
    assert "<math" not in render.html(long, [])
    assert render.html("$x_1$ " * (formulas.MOST + 20), []).count("<math ") == formulas.MOST
    source = "x = 1\n" * highlighting.LONGEST
    assert highlighting.highlighted(source, "python") == source
    monkeypatch.setattr(time, "monotonic", iter(range(10**6)).__next__)
    assert highlighting.highlighted("a = 1\nb = 2\n", "python", 0.5) == "a = 1\nb = 2\n"
