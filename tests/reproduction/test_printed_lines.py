"""What the code says is printed, against the tables of the documents, line by line.

The lines are as they stand in the documents: a row is a name and its figures, of which every second
one is a deviation where a table has these.
"""

from __future__ import annotations

import re

from printed_text import NUMBER, pairs, rows

from colonnade.reproduction.experiments import boutsidis_2010, paul_2014_printed
from colonnade.reproduction.experiments import farahat_clustering_printed as clustering
from colonnade.reproduction.experiments import farahat_kernels_data as kernels_data
from colonnade.reproduction.experiments import farahat_kernels_printed as kernels

TABLE_4_1 = """
Reuters-21578
    kMeans 0.5580 0.0072 0.4527 0.0100 0.3894 0.0062 0.3368 0.0069
    SGMA 0.6255 0.0038 0.6106 0.0035 0.6090 0.0041 0.6042 0.0016
    GreedyNyström 0.6701 0.0000 0.6446 0.0000 0.6296 0.0000 0.6210 0.0000
    PartGreedyNys 0.6367 0.0034 0.6146 0.0023 0.6065 0.0020 0.5987 0.0009
Reviews
    kMeans 0.8655 0.0093 0.8422 0.0035 0.8192 0.0039 0.8000 0.0026
    SGMA 0.8302 0.0019 0.8199 0.0010 0.8018 0.0007 0.7807 0.0006
    GreedyNyström 0.8405 0.0000 0.8276 0.0000 0.8081 0.0000 0.7865 0.0000
    PartGreedyNys 0.8239 0.0015 0.8094 0.0009 0.7901 0.0012 0.7692 0.0009
LA1
    kMeans 0.8866 0.0047 0.8495 0.0043 0.8237 0.0032 0.8052 0.0030
    SGMA 0.8399 0.0011 0.8214 0.0011 0.8030 0.0007 0.7856 0.0006
    GreedyNyström 0.8523 0.0000 0.8294 0.0000 0.8101 0.0000 0.7914 0.0000
    PartGreedyNys 0.8378 0.0013 0.8169 0.0013 0.7958 0.0009 0.7760 0.0014
"""

TABLE_4_2 = """
MNIST-4K
    kMeans 0.5522 0.0050 0.5369 0.0040 0.5228 0.0036 0.5092 0.0021
    SGMA 0.4182 0.0020 0.4338 0.0014 0.4365 0.0009 0.4357 0.0006
    GreedyNyström 0.4323 0.0000 0.4431 0.0000 0.4441 0.0000 0.4414 0.0000
    PartGreedyNys 0.4067 0.0019 0.4197 0.0019 0.4220 0.0015 0.4217 0.0007
PIE-20
    kMeans 0.4277 0.0158 0.3821 0.0087 0.3431 0.0106 0.3266 0.0083
    SGMA 0.4387 0.0024 0.4274 0.0020 0.4174 0.0029 0.4091 0.0015
    GreedyNyström 0.4640 0.0000 0.4523 0.0000 0.4340 0.0000 0.4241 0.0000
    PartGreedyNys 0.4299 0.0038 0.4249 0.0030 0.4151 0.0031 0.4060 0.0030
YaleB-38
    kMeans 0.5273 0.0135 0.4837 0.0086 0.4488 0.0065 0.4223 0.0093
    SGMA 0.4702 0.0055 0.4538 0.0024 0.4453 0.0032 0.4373 0.0021
    GreedyNyström 0.4962 0.0000 0.4748 0.0000 0.4650 0.0000 0.4516 0.0000
    PartGreedyNys 0.4670 0.0041 0.4469 0.0034 0.4376 0.0038 0.4298 0.0026
"""

TABLE_4_3 = """
l/n = 3%
    Reuters-21578 0.5306 0.5965 0.9074 0.8897
    Reviews 0.7329 0.8383 0.9096 0.9135
    LA1 0.8194 0.9320 0.9302 0.9294
    MNIST-4K 0.5749 0.7199 0.8476 0.8174
    PIE-20 0.5382 0.6918 0.9102 0.8848
    YaleB-38 0.5676 0.7119 0.8820 0.8655
l/n = 5%
    Reuters-21578 0.6076 0.6593 0.9603 0.9548
    Reviews 0.7998 0.8774 0.9446 0.9454
    LA1 0.8546 0.9445 0.9534 0.9523
    MNIST-4K 0.7131 0.8669 0.9433 0.9314
    PIE-20 0.6797 0.8492 0.9792 0.9735
    YaleB-38 0.6937 0.8435 0.9637 0.9562
"""

TABLE_4_4 = """
l/n = 3%
    Reuters-21578 1.63 33.29 17.24 4.82
    Reviews 0.86 26.02 12.61 2.31
    LA1 0.57 18.54 6.41 1.21
    MNIST-4K 0.79 23.93 11.98 2.13
    PIE-20 0.59 19.72 7.58 1.40
    YaleB-38 0.29 11.64 2.89 0.65
l/n = 5%
    Reuters-21578 1.73 35.86 28.53 6.79
    Reviews 0.87 27.04 21.38 4.08
    LA1 0.63 19.52 10.84 1.95
    MNIST-4K 0.88 24.83 21.19 3.87
    PIE-20 0.57 20.28 12.77 2.35
    YaleB-38 0.28 11.98 4.69 0.82
"""

TABLE_5_2 = """
TDT2-30
    SVD 73.38 01.32 71.84 02.35 71.94 02.02 71.19 01.63
    PGreedyCSS 63.92 01.23 70.01 01.58 71.88 01.60 72.09 02.10
    PGrCSS-Hybrid-r=5 60.59 01.24 69.62 00.99 70.15 01.41 70.83 01.93
20NG
    SVD 41.36 01.74 41.51 02.19 41.20 02.61 41.06 02.22
    PGreedyCSS 28.07 01.09 34.08 01.23 36.02 01.79 37.36 01.26
    PGrCSS-Hybrid-r=5 24.55 02.00 30.28 01.11 33.91 01.99 35.35 01.46
MNIST-70K
    SVD 48.38 00.73 48.77 00.95 48.08 01.33 48.73 00.83
    PGreedyCSS 46.44 01.89 48.41 01.36 47.91 01.47 48.03 00.61
    PGrCSS-Hybrid-r=5 45.29 01.39 48.95 01.26 48.52 01.10 48.73 01.54
PIE-68
    SVD 20.26 00.54 20.59 00.33 20.63 00.30 20.72 00.27
    PGreedyCSS 18.44 00.23 19.55 00.34 20.17 00.41 20.26 00.22
    PGrCSS-Hybrid-r=5 18.38 00.30 19.57 00.32 19.85 00.20 20.33 00.15
"""

TABLE_5_3 = """
TDT2-30
    NyströmSC 48.25 03.69 61.99 04.18 67.93 02.39 71.03 02.35
    PGreedyNysSC 57.70 00.59 70.49 01.21 73.95 01.03 74.60 01.50
    PGrNysSC-Hybrid-r=5 52.46 01.89 69.29 01.57 73.35 01.06 74.32 01.24
20NG
    NyströmSC 18.58 02.72 25.67 02.37 29.89 01.99 33.61 01.13
    PGreedyNysSC 30.19 00.41 39.44 00.79 43.38 00.78 44.89 01.21
    PGrNysSC-Hybrid-r=5 25.24 01.55 34.94 01.18 39.19 01.05 41.65 01.51
MNIST-70K
    NyströmSC 43.97 01.54 46.82 00.93 46.69 00.55 46.66 00.50
    PGreedyNysSC 43.38 01.66 46.10 00.94 46.57 00.23 46.90 00.81
    PGrNysSC-Hybrid-r=5 45.91 00.70 46.25 00.33 46.42 00.37 46.81 00.78
PIE-68
    NyströmSC 43.70 00.89 49.20 00.85 49.92 00.57 50.59 00.95
    PGreedyNysSC 44.87 00.90 50.30 01.19 51.01 01.22 51.57 00.75
    PGrNysSC-Hybrid-r=5 44.57 00.86 50.52 00.96 50.86 00.91 51.54 00.94
"""

FACES = """
SVD 0.5900 0.0262 0.6750 0.0268 0.7650 0.0269 0.6500 0.0324
LLE 0.6500 0.0245 0.7125 0.0247 0.7725 0.0258 0.6150 0.0337
LS 0.3400 0.0380 0.3875 0.0362 0.4575 0.0319 0.4850 0.0278
HD 0.6255 0.0220 0.6255 0.0220 0.6255 0.0220 0.6255 0.0220
RP 0.4225 0.0283 0.4800 0.0255 0.6425 0.0234 0.6575 0.0219
"""
"""Table 2 of Boutsidis, Zouzias & Drineas (2010): P and F for each t."""

FEATURES = """
r = 80 k = 90 k = 100
BSS 89, 88, 87, 86, 85 100, 99, 98, 97, 95
RRQR 90, 80, 79, 78, 77 100, 80, 79, 78, 77
Lvg-Score 73, 85, 84, 81, 87 93, 87, 95, 97, 96
IG 80, 79, 78, 77, 76 80, 79, 78, 77, 76
r = 90 k = 90 k = 100
BSS 88, 87, 86, 85, 84 100, 99, 98, 97, 95
RRQR 90, 89, 88, 87, 86 100, 90, 89, 88, 87
Lvg-Score 67, 88, 83, 87, 85 100, 97, 92, 48, 58
IG 90, 89, 88, 87, 86 90, 89, 88, 87, 86
"""
"""Table 1 of Paul & Drineas (2014)."""

ERRORS = """
r = 300
BSS 31.76 0.68 31.46 0.67 31.24 0.65 31.03 0.66
Lvg-Score 38.22 1.26 37.63 1.25 37.23 1.24 36.94 1.24
RRQR 37.84 1.20 37.07 1.19 36.57 1.18 36.10 1.18
Randomfs 50.01 1.2 49.43 1.2 49.18 1.19 49.04 1.19
IG 38.35 1.21 36.64 1.18 35.81 1.18 35.15 1.17
r = 400
BSS 30.59 0.66 30.33 0.65 30.11 0.65 29.96 0.65
Lvg-Score 35.06 1.21 34.63 1.20 34.32 1.2 34.11 1.19
RRQR 36.61 1.19 36.04 1.19 35.46 1.18 35.05 1.17
Randomfs 47.82 1.2 47.02 1.21 46.59 1.21 46.27 1.2
IG 37.37 1.21 35.73 1.19 34.88 1.18 34.19 1.18
r = 500
BSS 29.80 0.77 29.53 0.77 29.34 0.76 29.18 0.75
Lvg-Score 33.33 1.19 32.98 1.18 32.73 1.18 32.52 1.17
RRQR 35.77 1.18 35.18 1.16 34.67 1.16 34.25 1.14
Randomfs 46.26 1.21 45.39 1.19 44.96 1.19 44.65 1.18
IG 36.24 1.20 34.80 1.19 33.94 1.18 33.39 1.17
"""
"""Table 2 of Paul & Drineas (2014)."""

PAUL = {
    "BSS": "BSS",
    "Lvg-Score": "leverage",
    "RRQR": "RRQR",
    "Randomfs": "random",
    "IG": "information gain",
}
CLUSTERED = {
    "SVD": "ssvd",
    "NyströmSC": "nystrom",
    "PGreedyCSS": "greedy",
    "PGreedyNysSC": "greedy",
    "PGrCSS-Hybrid-r=5": "hybrid-5",
    "PGrNysSC-Hybrid-r=5": "hybrid-5",
}
"""What the code calls the methods."""


def by_heading(table, titles, names=None):
    """Return means and deviations by data set and method."""
    keys = {title: key for key, title in titles.items()}
    found = {}
    for heading, name, figures in rows(table):
        found.setdefault(keys[heading], {})[(names or {}).get(name, name)] = pairs(figures)
    return found


def test_tables_4_1_and_4_2():
    printed = by_heading(TABLE_4_1 + TABLE_4_2, kernels_data.TITLES)
    assert printed == kernels.RANK_L
    assert sum(len(values) for row in printed.values() for values in row.values()) == 96


def test_tables_4_3_and_4_4():
    titles = {title: key for key, title in kernels_data.TITLES.items()}
    for table, known in ((TABLE_4_3, kernels.RANK_K), (TABLE_4_4, kernels.SECONDS)):
        printed = {}
        for heading, name, figures in rows(table):
            percent = int(re.findall(NUMBER, heading)[0])
            printed.setdefault(percent, {})[titles[name]] = figures
        assert printed == known
        assert sum(len(row) for part in printed.values() for row in part.values()) == 48


def test_tables_5_2_and_5_3():
    for table, known in ((TABLE_5_2, clustering.TABLE_5_2), (TABLE_5_3, clustering.TABLE_5_3)):
        assert by_heading(table, clustering.DATA, CLUSTERED) == known
        assert len(list(rows(table))) == 12


def test_table_2_of_random_projections():
    printed = {name: figures for _, name, figures in rows(FACES)}
    measures = (boutsidis_2010.ACCURACY, boutsidis_2010.OBJECTIVE)
    for place, measure in enumerate(measures):
        own = {name: figures[place::2] for name, figures in printed.items()}
        assert own == boutsidis_2010.PRINTED[measure]
    assert len(printed) == 5


def test_tables_1_and_2_of_feature_selection():
    lists = {}
    for heading, name, figures in rows(FEATURES.replace(",", "")):
        picks, *relevant = map(int, re.findall(NUMBER, heading))
        for k, features in zip(relevant, (figures[:5], figures[5:]), strict=True):
            lists.setdefault((k, picks), {})[PAUL[name]] = features
    assert lists == paul_2014_printed.TABLE_1
    errors = {}
    for heading, name, figures in rows(ERRORS):
        size = int(re.findall(NUMBER, heading)[0])
        errors.setdefault(size, {})[PAUL[name]] = pairs(figures)
    assert errors == paul_2014_printed.TABLE_2
    assert len(lists) == 4
    assert len(list(rows(ERRORS))) == 15
