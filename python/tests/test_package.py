"""What the wheel has beside the modules."""

from importlib.metadata import files, metadata
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_wheel_has_the_licence_of_the_repository() -> None:
    [licence] = [it for it in files("quintet") or [] if it.name == "LICENSE"]
    assert licence.read_text() == (ROOT / "LICENSE").read_text()
    assert metadata("quintet")["License-Expression"] == "MIT"
