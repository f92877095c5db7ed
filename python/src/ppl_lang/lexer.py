"""Syntax highlighting of `*.ppl` files for Pygments, which Sphinx, MkDocs and notebooks use.

>>> from pygments import highlight
>>> from pygments.formatters import HtmlFormatter
>>> html = highlight("mu ~ Normal(0, 1)", PplLexer(), HtmlFormatter())
"""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

__all__ = ["PplLexer"]

STATEMENTS = ("data", "from", "generate", "import", "infer", "factor", "at", "return", "in")
MODIFIERS = (
    "censored", "missing", "noncentered", "ordered", "rounded", "upto", "weight", "zerosum", "complete", "columns",
    "by", "permute", "order", "holdout", "seed",
)  # fmt: skip


class PplLexer(RegexLexer):  # type: ignore[misc, unused-ignore]
    """Splits a model into tokens. Every character of a valid model belongs to a token."""

    name = "ppl"
    aliases: ClassVar[list[str]] = ["ppl"]
    filenames: ClassVar[list[str]] = ["*.ppl"]
    mimetypes: ClassVar[list[str]] = ["text/x-ppl"]

    tokens: ClassVar[dict[str, list[object]]] = {
        "root": [
            (r"[ \t\r\n\ufeff]+", Whitespace),
            (r"#[^\n]*", Comment.Single),
            (r'"', String.Double, "text"),
            (r"(:)([ \t]*)(real|int|bool|index)\b", bygroups(Operator, Whitespace, Keyword.Type)),
            (r"\d+(\.\d+)?([eE][-+]?\d+)?", Number),
            (words(STATEMENTS, suffix=r"\b"), Keyword),
            (words(MODIFIERS, suffix=r"\b"), Keyword.Pseudo),
            (words(("inf", "pi", "true", "false"), suffix=r"\b"), Keyword.Constant),
            (r"[A-Z]\w*(?=\()", Name.Class),  # a distribution
            (r"[^\W\d_]\w*(?=\()", Name.Function),
            (r"\w+", Name),
            (r"->|\.\.|\+=|&&|\|\||[=!<>]=|[-+*/^@%~<>=!?:']", Operator),
            (r"[\[\](){},.]", Punctuation),
        ],
        "text": [
            (r'[^"\\\n]+', String.Double),
            (r"\\.", String.Escape),
            (r'["\n]', String.Double, "#pop"),
        ],
    }
