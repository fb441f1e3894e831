"""What Farahat (2012) prints in chapter 3, and what is taken from there."""

from __future__ import annotations

__all__ = [
    "DATA",
    "DOCUMENTS",
    "FEATURES",
    "IMAGES",
    "INSTANCES",
    "NAMES",
    "PERCENTS",
    "TABLES",
    "TABLE_3_2",
    "TABLE_3_3",
    "WEIGHTING",
    "printed_row",
]

Table = dict[str, dict[str, tuple[tuple[float, float], ...]]]
"""Means and deviations by data set and method, for each of the percentages."""

DATA = {
    "reuters21578": "Reuters-21578",
    "reviews": "Reviews",
    "la1": "LA1",
    "mnist_2k2k": "MNIST-4K",
    "pie_20": "PIE-20",
    "yaleb_32x32": "YaleB-38",
    "pie_pose27": "PIE, pose 27 (not in the thesis)",
}
"""What data sets are called there."""

DOCUMENTS = ("reuters21578", "reviews", "la1")
IMAGES = ("mnist_2k2k", "pie_20", "yaleb_32x32", "pie_pose27")

INSTANCES = {"reuters21578": 5946, "reviews": 4069, "la1": 3204}
FEATURES = {"reuters21578": 18933, "reviews": 36746, "la1": 29714}
"""Table 3.1: how many documents and terms there are."""

WEIGHTING = {"reviews": "tf-idf, unit length", "la1": "tf-idf, unit length"}
"""How terms are weighted; others are taken as they are."""

NAMES = {
    "approx-svd": "ApproxSVD",
    "hybrid-css": "HybridCSS",
    "greedy": "GreedyCSS",
    "partition-greedy": "PartGreedyCSS",
    "mixed-hybrid": "HybridCSS, half by residuals",
    "uniform": "UniNoRep",
    "pivoted-qr": "qr",
    "strong-rrqr": "SRRQR",
    "signed-greedy": "groups with random signs (ours)",
    "refined": "GreedyCSS, one sweep of exchanges (ours)",
}
"""What methods are called there, by their names here."""

_MNIST, _OTHERS = (1, 5, 9, 13), (5, 9, 13, 17)
PERCENTS = {data: _MNIST if data == "mnist_2k2k" else _OTHERS for data in DATA}
"""The columns of the tables: how many of all instances are chosen."""

TABLE_3_2: Table = {
    "reuters21578": {
        "approx-svd": ((0.9064, 0.0), (0.8913, 0.0), (0.8830, 0.0), (0.8759, 0.0)),
        "hybrid-css": ((0.8935, 0.0013), (0.8748, 0.0011), (0.8619, 0.0007), (0.8540, 0.0014)),
        "greedy": ((0.9069, 0.0), (0.8920, 0.0), (0.8834, 0.0), (0.8762, 0.0)),
        "partition-greedy": (
            (0.8861, 0.0015), (0.8736, 0.0009), (0.8669, 0.0011), (0.8604, 0.0007),
        ),
    },
    "reviews": {
        "approx-svd": ((0.9596, 0.0), (0.9463, 0.0), (0.9333, 0.0), (0.9207, 0.0)),
        "hybrid-css": ((0.9526, 0.0006), (0.9411, 0.0005), (0.9307, 0.0004), (0.9165, 0.0002)),
        "greedy": ((0.9608, 0.0), (0.9474, 0.0), (0.9343, 0.0), (0.9217, 0.0)),
        "partition-greedy": (
            (0.9526, 0.0004), (0.9405, 0.0003), (0.9280, 0.0004), (0.9156, 0.0004),
        ),
    },
    "la1": {
        "approx-svd": ((0.9599, 0.0), (0.9464, 0.0), (0.9344, 0.0), (0.9223, 0.0)),
        "hybrid-css": ((0.9524, 0.0007), (0.9411, 0.0006), (0.9311, 0.0003), (0.9184, 0.0003)),
        "greedy": ((0.9614, 0.0), (0.9478, 0.0), (0.9352, 0.0), (0.9233, 0.0)),
        "partition-greedy": (
            (0.9551, 0.0003), (0.9421, 0.0004), (0.9298, 0.0005), (0.9178, 0.0004),
        ),
    },
}  # fmt: skip

TABLE_3_3: Table = {
    "mnist_2k2k": {
        "approx-svd": ((0.8112, 0.0), (0.7111, 0.0), (0.6768, 0.0), (0.7206, 0.0)),
        "hybrid-css": ((0.7723, 0.0059), (0.6887, 0.0027), (0.6283, 0.0039), (0.3986, 0.0058)),
        "greedy": ((0.8099, 0.0), (0.7112, 0.0), (0.6799, 0.0), (0.7203, 0.0)),
        "partition-greedy": (
            (0.7821, 0.0039), (0.6827, 0.0033), (0.6233, 0.0041), (0.6258, 0.0196),
        ),
    },
    "pie_20": {
        "approx-svd": ((0.7385, 0.0), (0.7021, 0.0), (0.6646, 0.0), (0.6334, 0.0)),
        "hybrid-css": ((0.7285, 0.0019), (0.6908, 0.0013), (0.6463, 0.0013), (0.5989, 0.0013)),
        "greedy": ((0.7391, 0.0), (0.7025, 0.0), (0.6636, 0.0), (0.6333, 0.0)),
        "partition-greedy": (
            (0.7153, 0.0023), (0.6797, 0.0021), (0.6416, 0.0013), (0.6052, 0.0015),
        ),
    },
    "yaleb_32x32": {
        "approx-svd": ((0.7638, 0.0), (0.7285, 0.0), (0.6981, 0.0), (0.6672, 0.0)),
        "hybrid-css": ((0.7481, 0.0029), (0.7210, 0.0016), (0.6861, 0.0026), (0.6458, 0.0016)),
        "greedy": ((0.7634, 0.0), (0.7278, 0.0), (0.6980, 0.0), (0.6665, 0.0)),
        "partition-greedy": (
            (0.7423, 0.0031), (0.7103, 0.0029), (0.6802, 0.0013), (0.6461, 0.0025),
        ),
    },
}  # fmt: skip

TABLES = {**TABLE_3_2, **TABLE_3_3}


def printed_row(data: str, method: str) -> dict[float, tuple[float, float]]:
    """Return what is printed by percentage; both forms of HybridCSS are held against its row."""
    row = {"mixed-hybrid": "hybrid-css"}.get(method, method)
    values = TABLES.get(data, {}).get(row, ())
    return dict(zip(PERCENTS[data], values, strict=True)) if values else {}
