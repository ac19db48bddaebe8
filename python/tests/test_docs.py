"""The examples of the documents."""

import re
from pathlib import Path

import pytest

import quintet

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", ["README.md", "docs/python.md", "python/README.md"])
def test_the_examples_run_as_they_are_printed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / name).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    assert blocks
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rulesheets").symlink_to(ROOT / "rulesheets")
    known: dict[str, object] = {}
    for block in blocks:
        line = text[: text.index(block)].count("\n")
        # Errors name the line of the document.
        exec(compile("\n" * line + block, name, "exec"), known)


def test_the_picture_is_what_is_drawn() -> None:
    moves = "0101 b2 1010 c3 0110 b3 1001 c2 0111 a1 1000 d4 0011"
    drawn = quintet.Position("quarto", rules="ggp", moves=moves).svg()
    assert (ROOT / "docs" / "python.svg").read_text() == drawn, "write it again"
