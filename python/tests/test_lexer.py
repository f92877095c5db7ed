"""The colours of models: no character of an example is left without a token."""

from __future__ import annotations

from pathlib import Path

import pytest

pygments = pytest.importorskip("pygments")

EXAMPLES = sorted(Path(__file__).parents[2].glob("examples/**/*.ppl"))


def test_examples_have_no_unknown_text() -> None:
    from pygments.token import Error

    from ppl_lang.lexer import PplLexer

    assert len(EXAMPLES) > 30
    lexer = PplLexer(stripnl=False, ensurenl=False)
    for path in EXAMPLES:
        text = path.read_text(encoding="utf-8")
        tokens = list(lexer.get_tokens(text))
        assert "".join(value for _, value in tokens) == text
        unknown = [value for kind, value in tokens if kind is Error]
        assert not unknown, f"{path}: {unknown}"


def test_tokens() -> None:
    from pygments.token import Keyword, Name, Number, Operator

    from ppl_lang.lexer import PplLexer

    found = [(str(kind), value) for kind, value in PplLexer().get_tokens("y[i in N]: int ~ Normal(log(2), 1e-3)")]
    for kind, value in [
        (Keyword, "in"), (Keyword.Type, "int"), (Operator, "~"), (Name.Class, "Normal"), (Name.Function, "log"),
        (Number, "1e-3"),
    ]:  # fmt: skip
        assert (str(kind), value) in found


def test_pygments_finds_the_lexer() -> None:
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename

    assert get_lexer_by_name("ppl").name == "ppl"
    assert get_lexer_for_filename("growth.ppl").name == "ppl"
