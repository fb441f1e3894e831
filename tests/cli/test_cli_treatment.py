"""What the command line does to the data first: said, and the same as by hand with numpy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_wine
from test_cli import AS_IS, chosen, rows_of

from colonnade import METHODS, select
from colonnade.cli.size_table import RULES
from colonnade.operands import advice
from colonnade.selectors.sizing import SIZE_RULES

WINE = load_wine()
FIRST = (
    "178 rows × 13 columns, standardized, since otherwise 1 of 13 columns would hold 99.8 % of the "
    "variance: 'proline' (--no-center --scale none takes them as they are)"
)


@pytest.fixture
def wine(tmp_path):
    frame = pd.DataFrame(WINE.data, columns=WINE.feature_names)
    frame["kind"] = np.array(["one", "two", "three"])[WINE.target]
    frame.to_csv(tmp_path / "wine.csv", index=False)
    return tmp_path / "wine.csv"


@pytest.fixture
def copied(tmp_path):
    """A table whose third and fifth column are the first one again, and whose last is constant."""
    A = np.random.default_rng(5).standard_normal((30, 4)) * [4, 3, 2, 1]
    frame = pd.DataFrame(A[:, [0, 1, 0, 2, 0, 3]], columns=list("abcdef"))
    frame["g"] = 7.0
    frame.to_csv(tmp_path / "copied.csv", index=False)
    return tmp_path / "copied.csv"


@pytest.fixture
def fresh(monkeypatch):
    """Let advice be given as if nobody had had it."""
    monkeypatch.setattr(advice, "ADVISED", set())


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def interquartile(X):
    low, high = np.quantile(X, [0.25, 0.75], axis=0, method="averaged_inverted_cdf")
    return high - low


def explained(Z, chosen):
    """Return the share of Z that the chosen columns explain, by least squares."""
    C = Z[:, chosen]
    rest = Z - C @ np.linalg.lstsq(C, Z, rcond=None)[0]
    return 1 - np.square(rest).sum() / np.square(Z).sum()


def greedy(Z, count):
    """Return the columns that explain most, one after the other, by trying all of them."""
    found = []
    for _ in range(count):
        shares = [-1 if j in found else explained(Z, [*found, j]) for j in range(Z.shape[1])]
        found.append(int(np.argmax(shares)))
    return found


def bound(Z, count):
    squares = np.linalg.svd(Z, compute_uv=False) ** 2
    return squares[:count].sum() / squares.sum()


def calls(source, tmp_path, label=()):
    """Return a call of each of the four commands."""
    return {
        "select": ("select", source, "-n", 2, *label),
        "cluster": ("cluster", source, "-k", 2, *label),
        "classify": ("classify", source, "-n", 2, "--folds", 2, *label),
        "project": ("project", source, "-n", 2, "-o", tmp_path / "p.npy", *label),
    }


COMMANDS = ["select", "cluster", "classify", "project"]

# --- select -------------------------------------------------------------------------------------


def test_wine(run, wine):
    done = run("select", wine, "-n", 4, "--label", "kind")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0] == FIRST
    held = WINE.data.var(axis=0)
    assert 100 * held[12] / held.sum() == pytest.approx(99.8, abs=0.05)
    Z = standardized(WINE.data)
    expected = greedy(Z, 4)
    rows = rows_of(done.out)
    assert [row[1] for row in rows] == [WINE.feature_names[j] for j in expected]
    assert [row[1] for row in rows] == [
        "flavanoids", "color_intensity", "alcalinity_of_ash", "magnesium",
    ]  # fmt: skip
    for t, row in enumerate(rows, 1):
        share = 100 * explained(Z, expected[:t])
        assert row[3:] == [f"{share:.1f}", f"{100 - share:.2f}"]
    said = (
        f"4 of 13 columns explain {100 * explained(Z, expected):.1f} % of the variance of all 13; "
        f"no 4 directions could explain more than {100 * bound(Z, 4):.1f} %; 4 random columns "
        "explain "
    )
    assert said in done.out
    assert "explain 64.6 % of" in said
    assert "more than 73.6 %" in said


def test_random_choice_is_a_mean_between_the_worst_and_the_best(run, wine):
    found = chosen(run("select", wine, "-n", 1, "--label", "kind", "--json"))
    Z = standardized(WINE.data)
    shares = [explained(Z, [j]) for j in range(13)]
    assert found["explained"] == pytest.approx(max(shares))
    assert found["bound"] == pytest.approx(bound(Z, 1))
    assert found["bound_is_exact"] is True
    assert min(shares) < found["random"] < max(shares)
    assert found["random"] == pytest.approx(np.mean(shares))  # of all 13
    found = chosen(run("select", wine, "-n", 3, "--label", "kind", "--json"))
    rng = np.random.RandomState(0)
    draws = [explained(Z, rng.permutation(13)[:3]) for _ in range(30)]
    assert found["random"] == pytest.approx(np.mean(draws))
    everything = chosen(run("select", wine, "-n", 13, "--label", "kind", "--json"))
    assert everything["bound"] == pytest.approx(1)
    assert everything["random"] is None  # there is only one way to choose all


def test_digits_stay_in_their_units(run, tmp_path):
    digits = load_digits()
    pd.DataFrame(digits.data, columns=digits.feature_names).to_csv(tmp_path / "d.csv", index=False)
    done = run("select", tmp_path / "d.csv", "-n", 3)
    assert (done.code, done.err) == (0, "")
    first, second, *_ = done.out.splitlines()
    assert first.startswith("1,797 rows × 64 columns, centred, not scaled, since they are of one ")
    constant = np.flatnonzero(np.ptp(digits.data, axis=0) == 0)
    names = ", ".join(repr(digits.feature_names[j]) for j in constant)
    assert second == f"{len(constant)} columns are constant and left out: {names}"
    expected = greedy(digits.data - digits.data.mean(axis=0), 3)
    too_many = run("select", tmp_path / "d.csv", "-n", 62)
    assert (too_many.code, too_many.out) == (2, "")
    assert "-n 62, but of 64 columns 61 can be chosen: others are constant, " in too_many.err
    assert [int(row[2]) for row in rows_of(done.out)] == expected


@pytest.mark.parametrize("method", ["greedy", "pivoted-qr", "uniform"])
def test_rows_are_those_of_standardized_data(run, wine, method):
    common = ("--rows", "-n", 5, "-m", method, "--json")
    found = chosen(run("select", wine, *common, "--label", "kind"))
    np.save(wine.with_name("z.npy"), standardized(WINE.data))
    by_hand = chosen(run("select", wine.with_name("z.npy"), *common, *AS_IS))
    assert found["indices"]["values"] == by_hand["indices"]["values"]
    assert found["relative_error"] == pytest.approx(by_hand["relative_error"])
    assert found["bound"] == pytest.approx(bound(standardized(WINE.data), 5))
    if method == "greedy":
        assert found["indices"]["values"] == greedy(standardized(WINE.data).T, 5)


@pytest.mark.parametrize(
    ("options", "said", "by_hand"),
    [
        (["--scale", "none"], "centred, not scaled (", lambda X: X - X.mean(axis=0)),
        (["--scale", "std"], "standardized (", standardized),
        (["--scale", "std", "--no-center"], "not centred, divided by their standard deviations (",
         lambda X: X / X.std(axis=0)),
        (["--scale", "max"], "centred, divided by their largest absolute values (",
         lambda X: (X - X.mean(axis=0)) / np.abs(X - X.mean(axis=0)).max(axis=0)),
        (["--scale", "robust"], "centred, divided by their interquartile ranges (",
         lambda X: (X - X.mean(axis=0)) / interquartile(X)),
        (list(AS_IS), "taken as they are", np.asarray),
    ],
    ids=["centred", "standardized", "std alone", "max", "robust", "as it is"],
)  # fmt: skip
def test_other_ways(run, wine, options, said, by_hand):
    done = run("select", wine, "-n", 3, "--label", "kind", *options)
    assert done.out.startswith(f"178 rows × 13 columns, {said}")
    Z = by_hand(WINE.data)
    assert [int(row[2]) for row in rows_of(done.out)] == greedy(Z, 3)
    quantity = "squared size" if "--no-center" in options else "variance"
    assert f" % of the {quantity} of all 13; no 3 directions could" in done.out
    found = chosen(run("select", wine, "-n", 3, "--label", "kind", "--json", *options))
    assert found["explained"] == pytest.approx(explained(Z, greedy(Z, 3)))
    assert found["bound"] == pytest.approx(bound(Z, 3))


# --- copies and constants -------------------------------------------------------------------------


def test_copies_are_named_and_not_chosen(run, copied):
    done = run("select", copied, "-n", 3)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[1:3] == [
        "1 column is constant and left out: 'g'",
        "2 columns are copies of others: 'c' = 'a', 'e' = 'a'",
    ]
    for method in ("uniform", "random-pivot", "greedy"):
        for seed in range(8):
            common = ("select", copied, "-n", 4, "-m", method, "--seed", seed, "--json")
            assert set(chosen(run(*common))["names"]) == set("abdf")
    assert set(chosen(run("select", copied, "-n", 4, "--json", *AS_IS))["names"]) <= set("abdfg")
    assert len(chosen(run("select", copied, "-n", "100%", "--json"))["names"]) == 4
    done = run("select", copied, "-n", 5)
    assert (done.code, done.out) == (2, "")
    assert "-n 5, but of 7 columns 4 can be chosen: others are constant, excluded or " in done.err
    assert done.err.endswith("copies; choose 1 to 4\n")


def test_one_copy(run, tmp_path):
    (tmp_path / "a.csv").write_text("a,b,c\n1,1,5\n2,2,3\n4,4,4\n")
    done = run("select", tmp_path / "a.csv", "-n", 1)
    assert "\n1 column is a copy of another: 'b' = 'a'\n" in done.out


@pytest.mark.parametrize("method", ["greedy", "uniform"])
def test_copies_that_must_be_included(run, copied, method):
    common = ("select", copied, "-n", 2, "-m", method, "--json")
    for seed in range(4):
        found = chosen(run(*common, "--must-include", "c", "--seed", seed))
        assert found["names"][0] == "c"
        assert found["names"][1] in ("b", "d", "f")
    # both, if that is what somebody wants
    assert chosen(run(*common, "--must-include", "c,a"))["names"] == ["c", "a"]


@pytest.mark.parametrize("method", ["greedy", "uniform"])
def test_copies_of_columns_that_are_excluded(run, copied, method):
    common = ("select", copied, "-n", 3, "-m", method, "--json")
    for seed in range(4):
        found = chosen(run(*common, "--exclude", "a,b", "--seed", seed))
        assert set(found["names"]) == set("cdf")
    assert set(chosen(run(*common, "--exclude", "a,c,b"))["names"]) == set("edf")


# --- errors and warnings --------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ("--scale", "nonsense"),
            "--scale 'nonsense' (did you mean 'none'?); choose one of auto, none, std, robust, max",
        ),
        (("--scale", "zzz"), "--scale 'zzz'; choose one of auto, none, std, robust, max"),
        (("--scale", "sdt"), "--scale 'sdt' (did you mean 'std'?); choose one of auto, none, std"),
        (("--param", "center=true"), "--param 'center=true': set center with --center"),
        (("--param", "scale=std"), "--param 'scale=std': set scale with --scale"),
    ],
)
def test_wrong_usage(run, wine, command, options, words):
    label = ("--label", "kind")
    call = calls(wine, wine.parent, label)[command]
    if command == "cluster" and "--param" in options:
        call = (*call, "-n", 2, "--reducer", "greedy")
    done = run(*call, *options)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert words in done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_as_it_is_warns_of_a_column_that_decides(run, fresh, wine, command):
    call = calls(wine, wine.parent, ("--label", "kind"))[command]
    done = run(*call, *AS_IS)
    assert done.code == 0
    squares = np.square(WINE.data).sum(axis=0)
    share = squares[12] / squares.sum()
    assert done.err == (
        f"colonnade: warning: column 'proline' holds {100 * share:.1f} % of the squared size of "
        "the data; --scale std gives all columns the same say\n"
    )


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("rows", [6, 1])
def test_nothing_varies(run, tmp_path, command, rows):
    frame = pd.DataFrame(np.full((rows, 3), 2.5), columns=list("abc"))
    frame["kind"] = (["x", "y"] * rows)[:rows]
    frame.to_csv(tmp_path / "c.csv", index=False)
    call = list(calls(tmp_path / "c.csv", tmp_path, ("--label", "kind"))[command])
    if rows == 1 and command == "cluster":
        call[call.index("-k") + 1] = 1
    done = run(*call)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    if (rows, command) == (1, "classify"):
        assert "holds one class only" in done.err
    else:
        assert "nothing varies" in done.err


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("options", [(), AS_IS], ids=["default", "as it is"])
@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_out_of_range(run, fresh, tmp_path, command, options, size):
    X = np.random.default_rng(0).standard_normal((20, 5))
    np.savez(tmp_path / "x.npz", X=X * size, y=np.arange(20) % 2)
    done = run(*calls(tmp_path / "x.npz", tmp_path)[command], *options)
    if (command, options) == ("project", AS_IS):  # signs need no squares
        assert (done.code, done.err) == (0, "")
        return
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("colonnade: error: the largest absolute entry is 2.33e")
    assert done.err.endswith(f"multiply the data by {1 / size:.0e} first\n")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("options", [(), AS_IS], ids=["default", "as it is"])
def test_one_column(run, tmp_path, options):
    np.save(tmp_path / "x.npy", np.arange(5.0)[:, None])
    quantity = "squared size" if options else "variance"
    done = run("select", tmp_path / "x.npy", "-n", 1, *options)
    assert f"1 of 1 column explains 100.0 % of the {quantity} of the data" in done.out
    done = run("cluster", tmp_path / "x.npy", "-k", 5, *options)
    assert f"\n0.00 % of the {quantity} of the data is within the clusters" in done.out
    done = run("project", tmp_path / "x.npy", "-n", 1, "-o", tmp_path / "o.npy", *options)
    assert "\n1 column became 1\n" in done.out


def test_one_row_as_it_is(run, tmp_path):
    np.save(tmp_path / "x.npy", np.array([[1.0, 2.0]]))
    done = run("select", tmp_path / "x.npy", "-n", 1, *AS_IS)
    assert done.out.startswith("1 row × 2 columns, taken as they are\n")
    assert "1 of 2 columns explains 100.0 % of the squared size of all 2" in done.out


def test_selection_is_that_of_the_library(run, wine):
    for method in ("bss", "leverage", "jolliffe-b4"):
        options = ("-n", 5, "-m", method, "--label", "kind", "--json")
        found = chosen(run("select", wine, *options))
        given = {"random_state": 0} if method == "leverage" else {}
        expected = select(WINE.data, 5, method=method, center=True, scale="std", **given)
        assert found["indices"]["values"] == expected.indices.tolist()
        Z = standardized(WINE.data)
        assert found["explained"] == pytest.approx(explained(Z, expected.indices))


@pytest.mark.parametrize("method", sorted(METHODS))
def test_no_method_chooses_a_copy(method, run, tmp_path):
    entry = METHODS[method]
    rng = np.random.default_rng(0)
    X = rng.random((60, 6)) + rng.integers(0, 2, (60, 1))
    frame = pd.DataFrame(X[:, [0, 1, 2, 0, 3, 4, 5, 1, 0]], columns=list("abcdefghi"))
    frame["kind"] = rng.integers(0, 2, 60)
    frame.to_csv(tmp_path / "copies.csv", index=False)
    needs = []
    for name in ("n_clusters", "rank"):
        if name in entry.parameters and not needs:
            needs = ["--param", f"{name}=2"]
    asked = ("-n", 5, "-m", method, "--label", "kind", *needs, "--json")
    found = chosen(run("select", tmp_path / "copies.csv", *asked))
    assert not {"d", "h", "i"} & set(found["names"])
    assert found["data"]["copies"] == {"d": "a", "h": "b", "i": "a"}
    # copies count as variance to explain
    Z = frame.drop(columns="kind").to_numpy()
    Z = Z - Z.mean(axis=0)
    if found["data"]["scale"] == "std":
        Z = Z / Z.std(axis=0)
    if entry.supervised != "target":
        S = Z[:, [list("abcdefghi").index(name) for name in found["names"]]]
        left = Z - S @ np.linalg.lstsq(S, Z, rcond=None)[0]
        assert found["relative_error"] == pytest.approx(np.square(left).sum() / np.square(Z).sum())


def test_how_many_is_proposed_unless_it_is_said(run, wine, tmp_path):
    picture = tmp_path / "sizes.svg"
    done = run("select", wine, "--label", "kind", "--plot", picture)
    assert (done.code, done.err) == (0, "")
    expected = select(WINE.data, "auto", center=True, scale="std", random_state=0)
    size = expected.info["size"]
    assert f"{len(expected)} columns proposed by parallel analysis" in done.out
    assert f"the elbow of the curve {size['elbow']}" in done.out
    assert f"the error on held-out rows {size['held_out']}" in done.out
    lines = [row for row in rows_of(done.out) if len(row) == 5 and row[0].strip(" ◂").isdigit()]
    table = {int(row[0].strip(" ◂")): row[1:] for row in lines[len(expected) :]}
    Z = standardized(WINE.data)
    assert table[4][1] == f"{100 * bound(Z, 4):.1f}"
    assert table[13][0] == "100.0"
    assert picture.read_text().startswith("<?xml")
    found = chosen(run("select", wine, "--label", "kind", "-n", "elbow", "--json"))
    assert len(found["names"]) == size["elbow"]
    assert tuple(SIZE_RULES) == RULES
    done = run("select", wine, "--label", "kind", "-n", "auto", "-m", "bss", "--param", "rank=2")
    assert (done.code, done.out) == (2, "")
    assert "another method such as 'greedy'" in done.err


def test_units_that_decide_are_warned_of_where_they_are_kept(run, wine, tmp_path):
    done = run("select", wine, "-n", 2, "--label", "kind", "--scale", "none")
    assert done.code == 0
    assert done.err == (
        "colonnade: warning: 1 of 13 columns hold 99.8 % of the variance: 'proline'; --scale std "
        "gives all columns the same say\n"
    )
    pd.DataFrame(load_digits().data).add_prefix("p").to_csv(tmp_path / "d.csv", index=False)
    assert run("select", tmp_path / "d.csv", "-n", 2, "--scale", "none").err == ""


def test_the_sentence_says_what_the_table_of_sizes_says(run, wine):
    found = chosen(run("select", wine, "--label", "kind", "--json"))
    size = found["info"]["size"]
    row = next(row for row in size["table"] if row["n_select"] == size["n_select"])
    assert (found["bound"], found["random"]) == (row["bound"], row["random"])
    assert found["bound"] == pytest.approx(bound(standardized(WINE.data), len(found["names"])))
    assert found["bound_is_exact"] is True
