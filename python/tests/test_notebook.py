"""The notebook."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parent.parent / "examples" / "quarto.ipynb"


def test_the_notebook_runs_and_has_pictures() -> None:
    book = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    assert all(not cell.get("outputs") for cell in book.cells), "it is kept without outputs"
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    shown = [output.get("data", {}) for cell in book.cells for output in cell.get("outputs", [])]
    assert sum("image/svg+xml" in data for data in shown) == 2
    assert sum("text/html" in data for data in shown) == 4, "tables"
