"""The notebook."""

import copy
import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parent.parent / "examples" / "quarto.ipynb"


def test_the_notebook_runs_and_shows_what_is_stored() -> None:
    stored = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    book = copy.deepcopy(stored)
    client = NotebookClient(
        book, timeout=120, kernel_name="python3", record_timing=False, coalesce_streams=True
    )
    client.execute()
    shown = [output.get("data", {}) for cell in book.cells for output in cell.get("outputs", [])]
    assert sum("image/svg+xml" in data for data in shown) == 2
    assert sum("text/html" in data for data in shown) == 4, "tables"

    pairs = [it for it in zip(stored.cells, book.cells, strict=True) if it[0].cell_type == "code"]
    if os.environ.get("UPDATE_FILES"):
        for was, now in pairs:
            was.outputs, was.execution_count = now.outputs, now.execution_count
        nbformat.write(stored, NOTEBOOK)  # type: ignore[no-untyped-call]
    for was, now in pairs:
        # What a search finds in a second is not the same each time.
        if "takes-time" in was.metadata.get("tags", []):
            assert was.outputs and now.outputs
        else:
            assert was.outputs == now.outputs, "write it again: UPDATE_FILES=1 python/test -k notebook"
