"""Source text with its words marked by what they are: few classes, which the style sheet colours."""

import re
import time
from html import escape

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, String, Token

LONGEST = 12_000
"""Characters of source that are marked; longer ones are shown plain, as nobody reads them in a chat."""
SECONDS = 0.15
"""For so long the source in one answer is marked, the rest is plain: some readers of languages are slow on odd text."""
LANGUAGES = frozenset((
    "bash", "c", "c++", "cpp", "c#", "cs", "csharp", "clojure", "css", "dart", "diff", "docker", "dockerfile",
    "elixir", "erlang", "go", "golang", "graphql", "haskell", "html", "java", "javascript", "js", "json", "julia",
    "kotlin", "lua", "make", "makefile", "nginx", "objective-c", "perl", "php", "powershell", "protobuf", "python",
    "py", "python3", "r", "rb", "ruby", "rust", "rs", "scala", "scss", "sh", "shell", "sql", "swift", "tex", "latex",
    "toml", "ts", "tsx", "typescript", "vim", "xml", "yaml", "yml", "zsh",
))  # fmt: skip
"""Those that are often asked for: each reader of a language is code that runs on what a model wrote."""
_CLASSES = {
    Comment: "comment", Keyword: "keyword", String: "string", Number: "number", Name.Function: "name",
    Name.Class: "name", Name.Decorator: "name", Name.Builtin: "name", Name.Tag: "name", Name.Attribute: "number",
    Generic.Inserted: "inserted", Generic.Deleted: "deleted", Generic.Heading: "keyword",
    Generic.Subheading: "keyword",
}  # fmt: skip
CLASSES = {f"code-{name}" for name in _CLASSES.values()}
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9+#.-]{0,19}")


def language_of(info: str) -> str:
    """The language that a fence names; "" for none, or what is no name."""
    word = (info.split() or [""])[0]
    return word if _NAME.fullmatch(word) else ""


def highlighted(source: str, language: str, seconds: float = SECONDS) -> str:
    """Safe HTML: the text as it is, in spans; plain where the language is not one of `LANGUAGES`, or time is up."""
    if language.lower() not in LANGUAGES or len(source) > LONGEST:
        return escape(source, quote=False)
    lexer, parts, deadline = get_lexer_by_name(language.lower()), list[str](), time.monotonic() + seconds
    for at, kind, text in lexer.get_tokens_unprocessed(source):
        if time.monotonic() > deadline:
            parts.append(escape(source[at:], quote=False))
            break
        name, safe = _class(kind), escape(text, quote=False)
        parts.append(f'<span class="code-{name}">{safe}</span>' if name else safe)
    return "".join(parts)


def _class(kind: Token) -> str:
    while kind is not None:
        if kind in _CLASSES:
            return _CLASSES[kind]
        kind = kind.parent
    return ""
