"""Damaged files: whatever a file holds, reading it ends with a table or with one sentence.

``python tests/io/fuzz.py 1000`` damages 1,000 files of every kind, always the same ones, and reads
each in a child of one warm process, with limits on memory and time. Nothing may end with a signal,
take longer than a few seconds, or raise anything but the error that the command line prints.
"""

from __future__ import annotations

import io
import json
import os
import resource
import signal
import sys
import tempfile
import warnings
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.ipc
import scipy.io
import scipy.sparse as sp

from colonnade import Selection, select
from colonnade.io import FileError, Table, read, write
from colonnade.io.binary import to_json

SECONDS = 20
MEMORY = 2 * 2**30
"""What a child may take beside what it was born with."""


def saved(extension, table, **options):
    """The content of a file that the library writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a{extension}")
        write(path, table, **options)
        return path.read_bytes()


def called(function, *arguments, **options):
    """What a function writes to a file."""
    file = io.BytesIO()
    function(file, *arguments, **options)
    return file.getvalue()


def arrow_stream(frame):
    """A frame as it is sent, not stored."""
    file = io.BytesIO()
    table = pa.Table.from_pandas(frame)
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


def samples():
    """Whole files by kind: extension, content, and the options to read them with."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 5)).round(4)
    S = sp.random_array((12, 8), density=0.3, rng=rng).tocsr()
    words = np.array([*"abcabcabca", "NA", "007"])
    named = Table(X, list("pqrst"), words, "kind", np.array([f"r{i}" for i in range(12)]))
    frame = pd.DataFrame(X, columns=list("pqrst")).assign(kind=words)
    text = frame.to_csv(index=False)
    sparse = [sp.coo_array(S), S.tocsc(), S, S.tobsr((2, 2)), S.todia()]
    selection = select(X, 3)
    return {
        "CSV": [
            (".csv", text.encode(), {"label": "kind"}),
            (".csv", saved(".csv", named), {"label": "kind"}),
            (".csv", text.encode(), {"numeric_only": True, "missing": "drop-rows"}),
            (".csv", called(np.savetxt, X, delimiter=";"), {}),
            (".csv", text.encode("utf-16"), {"label": -1}),
            (".csv", ("\n".join([",".join(["1.5"] * 1200)] * 3)).encode(), {"label": 0}),
            (".txt", called(np.savetxt, X), {}),
        ],
        "TSV": [
            (".tsv", saved(".tsv", named), {"label": "kind"}),
            (".tsv.gz", saved(".tsv.gz", named), {"label": "kind"}),
        ],
        "Parquet": [
            (".parquet", saved(".parquet", named), {"label": "kind"}),
            (".parquet", called(lambda f: frame.to_parquet(f, compression=None)), {"label": 5}),
            (".parquet", called(lambda f: frame.to_parquet(f, compression="gzip")), {"label": 5}),
        ],
        "Feather": [
            (".feather", saved(".feather", named), {"label": "kind"}),
            (".feather", called(lambda f: frame.to_feather(f, compression="zstd")), {"label": 5}),
            (
                ".arrow",
                called(lambda f: frame.to_feather(f, compression="uncompressed")),
                {"label": 5},
            ),
            (".arrow", arrow_stream(frame), {"label": 5}),
        ],
        "Excel": [
            (".xlsx", saved(".xlsx", named), {"label": "kind"}),
            (".xlsx", saved(".xlsx", named), {"numeric_only": True, "missing": "drop-columns"}),
            (".xlsx", called(lambda f: frame.to_excel(f, index=False)), {"label": 5}),
        ],
        "NPY": [
            (".npy", saved(".npy", named), {}),
            (".npy", saved(".npy", Table(np.asfortranarray(X.astype("f4")))), {"label": 1}),
        ],
        "NPZ dense": [
            (".npz", saved(".npz", named), {}),
            (".npz", called(np.savez_compressed, X=X, y=np.arange(12)), {}),
        ],
        "NPZ sparse": [
            *((".npz", called(sp.save_npz, part, compressed=False), {}) for part in sparse),
            (".npz", saved(".npz", Table(S, list("abcdefgh"), words)), {}),
        ],
        "h5ad": [
            (".h5ad", saved(".h5ad", Table(S, list("abcdefgh"), words, "kind")), {}),
            (".h5ad", saved(".h5ad", named), {"label": "obs:kind"}),
        ],
        "MatrixMarket": [
            (".mtx", saved(".mtx", Table(S)), {}),
            (".mtx", saved(".mtx", Table(X)), {}),
            (".mtx", called(scipy.io.mmwrite, S.astype(np.int64)), {}),
            (".mtx", called(scipy.io.mmwrite, S.T @ S, symmetry="symmetric"), {}),
            (".mtx.gz", saved(".mtx.gz", Table(S)), {}),
        ],
        "svmlight": [(".svm", saved(".svm", Table(S, labels=np.arange(12) % 3)), {})],
        "JSON": [(".json", to_json(selection.to_dict()).encode(), {})],
    }


def damaged(rng, content, start=0, ways=7):
    """A copy with bytes flipped, replaced, overwritten, cut off, put in, taken out or doubled."""
    out = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        if len(out) <= start:
            break
        at = int(rng.integers(start, len(out)))
        some = int(rng.integers(1, 9))
        match rng.integers(ways):
            case 0:
                out[at] ^= 1 << int(rng.integers(8))
            case 1:
                out[at] = int(rng.choice([0, 1, 0x7F, 0x80, 0xFF, *b"09-+.,;:eE \n\"'#%{}[]"]))
            case 2:
                value = int(rng.choice([-1, 5, 2**31, 2**40, 2**63 - 1]))
                out[at : at + 8] = value.to_bytes(8, "little", signed=True)[: len(out) - at]
            case 3:
                del out[at:]
            case 4:
                out[at:at] = rng.bytes(some)
            case 5:
                del out[at : at + some]
            case 6:
                out[at:at] = out[at : at + 8 * some]
    return bytes(out)


def damaged_inside(rng, content):
    """A sound archive with one damaged array or part, which no checksum gives away."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as whole, zipfile.ZipFile(file, "w") as new:
        names = whole.namelist()
        victim = names[rng.integers(len(names))]
        # most often the numbers behind the header, with those after them where they were
        how = {"start": 128, "ways": 3} if rng.random() < 0.7 and victim.endswith(".npy") else {}
        for name in names:
            part = whole.read(name)
            new.writestr(name, damaged(rng, part, **how) if name == victim else part)
    return file.getvalue()


def read_case(path, options):
    """Read a file and use what it gives; return what happened in a word."""
    try:
        if path.suffix == ".json":
            Selection.from_dict(json.loads(path.read_bytes()))
            return "read"
        table = read(path, **options)
    except FileError as error:
        sentence = str(error)
        clear = sentence.startswith(f"{path}: ") and "\n" not in sentence
        return "refused" if clear else f"unclear: {sentence}"
    except ValueError:
        if path.suffix == ".json":
            return "refused"
        raise
    m, n = table.X.shape
    assert min(m, n) > 0
    assert table.columns is None or len(table.columns) == n
    assert table.labels is None or table.labels.shape == (m,)
    assert table.row_names is None or table.row_names.shape == (m,)
    if m * n < 10**7:
        assert np.isfinite(table.X @ np.zeros(n)).all()
        (table.X.tocsr() if table.sparse else table.X)[[0, m - 1]].sum()
    return "read"


def in_a_child(path, options):
    """Read a file in a child; return what happened, or how it died."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            word = pipe.read().decode("utf-8", "replace")
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return f"died of {signal.Signals(os.WTERMSIG(status)).name}"
        return word or f"exit {os.WEXITSTATUS(status)} without a word"
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    signal.alarm(SECONDS)
    warnings.simplefilter("ignore")
    try:
        word = read_case(path, options)
    except BaseException as error:
        word = f"{type(error).__name__}: {error}"[:300]
    os.write(writer, word.encode())
    os._exit(0)


def fuzz(kind, files, cases, folder, say=print):
    """Damage the files of a kind; return how often what happened."""
    counts = Counter()
    for case in range(cases):
        rng = np.random.default_rng([len(kind), *kind.encode(), case])
        extension, content, options = files[case % len(files)]
        inside = kind.startswith(("NPZ", "Excel")) and rng.random() < 0.7
        path = folder / f"case{extension}"
        path.write_bytes((damaged_inside if inside else damaged)(rng, content))
        word = in_a_child(path, options)
        if word not in ("read", "refused"):
            kept = path.rename(folder / f"{kind.replace(' ', '-')}-{case}{extension}")
            say(f"{kept}: {word}")
            word = "failed"
        counts[word] += 1
    return counts


def main(cases=1000, kinds=()):
    """Damage files of all kinds, print what happened, return how many reads failed."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    failed = 0
    for kind, files in samples().items():
        if kinds and kind not in kinds:
            continue
        for extension, content, options in files:  # whole, to know that they can be read, and warm
            path = folder / f"whole{extension}"
            path.write_bytes(content)
            assert read_case(path, options) == "read", (kind, extension)
        counts = fuzz(kind, files, cases, folder)
        failed += counts["failed"]
        print(
            f"{kind:14}{cases:6} damaged:{counts['read']:6} read,{counts['refused']:6} refused,"
            f"{counts['failed']:6} failed",
            flush=True,
        )
    return failed


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(min(main(int((sys.argv[1:] or ["1000"])[0]), sys.argv[2:]), 1))
