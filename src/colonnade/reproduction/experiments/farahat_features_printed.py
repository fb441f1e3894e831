"""Tables 6.2 and 6.3 of Farahat (2012): k-means on chosen features, NMI in per cent."""

from __future__ import annotations

__all__ = ["CLASSES", "DATA", "METHODS", "PERCENTS", "PRINTED", "UNSCALED"]

PERCENTS = (1, 4, 7, 10)
METHODS = (
    "All Features", "PCA-LRG", "FSFS", "LS", "SPEC", "MCFS", "GreedyFS", "PartGreedyFS",
)  # fmt: skip
"""All that are compared; the tables have the first, and those behind FSFS but SPEC."""
DATA = {
    "orl_32x32": "ORL", "coil20": "COIL20", "isolet": "ISOLET",
    "usps": "USPS", "tdt2": "TDT2-30", "20news_full": "20NG",
}  # fmt: skip
"""What the thesis calls its data, by our names."""
CLASSES = {
    "orl_32x32": 40, "coil20": 20, "isolet": 26, "usps": 10, "tdt2": 30, "20news_full": 20,
}  # fmt: skip
"""Table 6.1: how many classes there are, and so clusters."""

_TOO_MUCH = frozenset({"PCA-LRG", "FSFS", "SPEC"})
UNSCALED = {"usps": frozenset({"SPEC"}), "tdt2": _TOO_MUCH, "20news_full": _TOO_MUCH}
"""What did not scale to the data in the thesis, so that nothing is said about it."""

Cell = tuple[float, float]
"""A mean and its deviation."""
PRINTED: dict[str, dict[str, tuple[Cell, Cell, Cell, Cell]]] = {
    "orl_32x32": {
        "All Features": ((70.61, 1.51), (70.61, 1.51), (70.61, 1.51), (70.61, 1.51)),
        "LS": ((58.52, 0.85), (62.83, 0.69), (66.39, 1.21), (67.87, 1.28)),
        "MCFS": ((65.17, 1.09), (69.59, 1.10), (70.15, 1.45), (69.93, 1.63)),
        "GreedyFS": ((65.22, 0.74), (68.78, 1.42), (70.43, 1.64), (68.96, 1.60)),
        "PartGreedyFS": ((63.05, 0.98), (67.43, 0.84), (68.74, 0.61), (69.42, 0.64)),
    },
    "coil20": {
        "All Features": ((73.80, 2.20), (73.80, 2.20), (73.80, 2.20), (73.80, 2.20)),
        "LS": ((59.44, 1.36), (64.81, 1.57), (67.57, 1.48), (67.90, 1.28)),
        "MCFS": ((63.22, 1.42), (70.94, 1.32), (71.00, 1.48), (72.98, 1.29)),
        "GreedyFS": ((65.18, 1.91), (74.30, 1.49), (73.34, 2.20), (74.66, 1.43)),
        "PartGreedyFS": ((61.84, 1.98), (71.65, 0.74), (73.41, 0.75), (73.73, 0.66)),
    },
    "isolet": {
        "All Features": ((75.40, 1.82), (75.40, 1.82), (75.40, 1.82), (75.40, 1.82)),
        "LS": ((50.13, 0.63), (61.03, 0.68), (65.51, 0.91), (66.75, 1.13)),
        "MCFS": ((48.32, 0.92), (73.77, 1.19), (74.20, 0.88), (73.68, 0.89)),
        "GreedyFS": ((57.62, 0.81), (62.59, 1.43), (67.09, 1.94), (69.24, 1.49)),
        "PartGreedyFS": ((45.66, 1.75), (60.39, 3.55), (66.64, 2.73), (68.77, 1.84)),
    },
    "usps": {
        "All Features": ((65.73, 0.58), (65.73, 0.58), (65.73, 0.58), (65.73, 0.58)),
        "LS": ((27.43, 0.14), (39.12, 0.73), (46.47, 0.87), (48.51, 0.74)),
        "MCFS": ((29.41, 0.67), (46.31, 1.80), (56.91, 1.02), (63.08, 1.27)),
        "GreedyFS": ((27.44, 0.59), (54.81, 1.04), (62.15, 1.28), (65.17, 0.88)),
        "PartGreedyFS": ((21.01, 1.12), (47.02, 1.75), (56.30, 2.35), (61.54, 1.61)),
    },
    "tdt2": {
        "All Features": ((81.10, 1.65), (81.10, 1.65), (81.10, 1.65), (81.10, 1.65)),
        "LS": ((69.33, 1.53), (76.63, 2.51), (79.79, 1.08), (79.26, 0.95)),
        "MCFS": ((40.74, 0.95), (45.07, 0.97), (55.22, 0.88), (62.65, 1.09)),
        "GreedyFS": ((74.48, 1.34), (77.73, 2.07), (80.21, 1.88), (80.55, 1.48)),
        "PartGreedyFS": ((74.10, 0.62), (78.79, 1.15), (79.47, 0.54), (80.09, 0.90)),
    },
    "20news_full": {
        "All Features": ((55.08, 1.75), (55.08, 1.75), (55.08, 1.75), (55.08, 1.75)),
        "LS": ((7.95, 0.45), (12.08, 0.48), (21.85, 1.00), (32.97, 0.81)),
        "MCFS": ((21.50, 0.68), (33.03, 0.87), (39.64, 1.12), (40.33, 1.03)),
        "GreedyFS": ((34.54, 2.45), (43.74, 1.43), (46.58, 2.25), (48.11, 1.09)),
        "PartGreedyFS": ((33.78, 0.49), (40.62, 2.45), (39.48, 4.92), (41.60, 5.76)),
    },
}  # fmt: skip
"""Means and deviations at 1, 4, 7 and 10 % of the features."""
