"""What Paul & Drineas (2014) printed: Tables 1 and 2."""

from __future__ import annotations

__all__ = ["ALPHAS", "METHODS", "NEWSGROUPS", "SIZES", "TABLE_1", "TABLE_2"]

TABLE_1 = {
    (90, 80): {
        "BSS": (89, 88, 87, 86, 85),
        "RRQR": (90, 80, 79, 78, 77),
        "leverage": (73, 85, 84, 81, 87),
        "information gain": (80, 79, 78, 77, 76),
    },
    (100, 80): {
        "BSS": (100, 99, 98, 97, 95),
        "RRQR": (100, 80, 79, 78, 77),
        "leverage": (93, 87, 95, 97, 96),
        "information gain": (80, 79, 78, 77, 76),
    },
    (90, 90): {
        "BSS": (88, 87, 86, 85, 84),
        "RRQR": (90, 89, 88, 87, 86),
        "leverage": (67, 88, 83, 87, 85),
        "information gain": (90, 89, 88, 87, 86),
    },
    (100, 90): {
        "BSS": (100, 99, 98, 97, 95),
        "RRQR": (100, 90, 89, 88, 87),
        "leverage": (100, 97, 92, 48, 58),
        "information gain": (90, 89, 88, 87, 86),
    },
}
"""The five most frequent features, numbered from one, by (relevant features, picks)."""

ALPHAS = (0.1, 0.3, 0.5, 0.7)
SIZES = (300, 400, 500)
METHODS = ("BSS", "leverage", "RRQR", "random", "information gain")
"""In the order of Table 2; the last one alone sees the labels."""

TABLE_2 = {
    300: {
        "BSS": ((31.76, 0.68), (31.46, 0.67), (31.24, 0.65), (31.03, 0.66)),
        "leverage": ((38.22, 1.26), (37.63, 1.25), (37.23, 1.24), (36.94, 1.24)),
        "RRQR": ((37.84, 1.20), (37.07, 1.19), (36.57, 1.18), (36.10, 1.18)),
        "random": ((50.01, 1.2), (49.43, 1.2), (49.18, 1.19), (49.04, 1.19)),
        "information gain": ((38.35, 1.21), (36.64, 1.18), (35.81, 1.18), (35.15, 1.17)),
    },
    400: {
        "BSS": ((30.59, 0.66), (30.33, 0.65), (30.11, 0.65), (29.96, 0.65)),
        "leverage": ((35.06, 1.21), (34.63, 1.20), (34.32, 1.2), (34.11, 1.19)),
        "RRQR": ((36.61, 1.19), (36.04, 1.19), (35.46, 1.18), (35.05, 1.17)),
        "random": ((47.82, 1.2), (47.02, 1.21), (46.59, 1.21), (46.27, 1.2)),
        "information gain": ((37.37, 1.21), (35.73, 1.19), (34.88, 1.18), (34.19, 1.18)),
    },
    500: {
        "BSS": ((29.80, 0.77), (29.53, 0.77), (29.34, 0.76), (29.18, 0.75)),
        "leverage": ((33.33, 1.19), (32.98, 1.18), (32.73, 1.18), (32.52, 1.17)),
        "RRQR": ((35.77, 1.18), (35.18, 1.16), (34.67, 1.16), (34.25, 1.14)),
        "random": ((46.26, 1.21), (45.39, 1.19), (44.96, 1.19), (44.65, 1.18)),
        "information gain": ((36.24, 1.20), (34.80, 1.19), (33.94, 1.18), (33.39, 1.17)),
    },
}
"""Errors and their deviations in per cent, by features and method, for each of ``ALPHAS``."""

NEWSGROUPS = (
    "alt.atheism", "comp.graphics", "comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware", "comp.windows.x", "misc.forsale", "rec.autos", "rec.motorcycles",
    "rec.sport.baseball", "rec.sport.hockey", "sci.crypt", "sci.electronics", "sci.med",
    "sci.space", "soc.religion.christian", "talk.politics.guns", "talk.politics.mideast",
    "talk.politics.misc", "talk.religion.misc",
)  # fmt: skip
"""The names of the classes 1 to 20."""
