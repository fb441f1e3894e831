"""A command as it is run in this process."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from colonnade.cli import main
from colonnade.cli.progress import Reporter


@pytest.fixture
def run(capsys, monkeypatch):
    """Call main in this process; return the exit code and what was printed."""
    monkeypatch.setattr(Reporter, "delay", 1e6)  # the first run compiles, which takes a while

    def call(*arguments):
        with pytest.raises(SystemExit) as caught:
            main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return SimpleNamespace(code=caught.value.code, out=out, err=err)

    return call
