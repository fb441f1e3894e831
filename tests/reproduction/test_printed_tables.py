"""Tables 3.2, 3.3, 6.2 and 6.3 as the text of the thesis has them, against what the code says.

Copied line by line from Farahat (2012), not from the code, with all figures of the tables.
"""

from __future__ import annotations

import pytest
from printed_text import pairs, rows

from colonnade.reproduction.experiments import farahat_columns_printed as columns
from colonnade.reproduction.experiments import farahat_features_printed as features

TABLE_3_2 = """
Reuters-21578
ApproxSVD  0.9064±0.0000  0.8913±0.0000  0.8830±0.0000  0.8759±0.0000
HybridCSS  0.8935±0.0013  0.8748±0.0011  0.8619±0.0007  0.8540±0.0014
GreedyCSS  0.9069±0.0000  0.8920±0.0000  0.8834±0.0000  0.8762±0.0000
PartGreedyCSS  0.8861±0.0015  0.8736±0.0009  0.8669±0.0011  0.8604±0.0007
Reviews
ApproxSVD  0.9596±0.0000  0.9463±0.0000  0.9333±0.0000  0.9207±0.0000
HybridCSS  0.9526±0.0006  0.9411±0.0005  0.9307±0.0004  0.9165±0.0002
GreedyCSS  0.9608±0.0000  0.9474±0.0000  0.9343±0.0000  0.9217±0.0000
PartGreedyCSS  0.9526±0.0004  0.9405±0.0003  0.9280±0.0004  0.9156±0.0004
LA1
ApproxSVD  0.9599±0.0000  0.9464±0.0000  0.9344±0.0000  0.9223±0.0000
HybridCSS  0.9524±0.0007  0.9411±0.0006  0.9311±0.0003  0.9184±0.0003
GreedyCSS  0.9614±0.0000  0.9478±0.0000  0.9352±0.0000  0.9233±0.0000
PartGreedyCSS  0.9551±0.0003  0.9421±0.0004  0.9298±0.0005  0.9178±0.0004
"""
TABLE_3_3 = """
MNIST-4K
ApproxSVD  0.8112±0.0000  0.7111±0.0000  0.6768±0.0000  0.7206±0.0000
HybridCSS  0.7723±0.0059  0.6887±0.0027  0.6283±0.0039  0.3986±0.0058
GreedyCSS  0.8099±0.0000  0.7112±0.0000  0.6799±0.0000  0.7203±0.0000
PartGreedyCSS  0.7821±0.0039  0.6827±0.0033  0.6233±0.0041  0.6258±0.0196
PIE-20
ApproxSVD  0.7385±0.0000  0.7021±0.0000  0.6646±0.0000  0.6334±0.0000
HybridCSS  0.7285±0.0019  0.6908±0.0013  0.6463±0.0013  0.5989±0.0013
GreedyCSS  0.7391±0.0000  0.7025±0.0000  0.6636±0.0000  0.6333±0.0000
PartGreedyCSS  0.7153±0.0023  0.6797±0.0021  0.6416±0.0013  0.6052±0.0015
YaleB-38
ApproxSVD  0.7638±0.0000  0.7285±0.0000  0.6981±0.0000  0.6672±0.0000
HybridCSS  0.7481±0.0029  0.7210±0.0016  0.6861±0.0026  0.6458±0.0016
GreedyCSS  0.7634±0.0000  0.7278±0.0000  0.6980±0.0000  0.6665±0.0000
PartGreedyCSS  0.7423±0.0031  0.7103±0.0029  0.6802±0.0013  0.6461±0.0025
"""
TABLE_6_2 = """
ORL
All-Features  70.61±01.51  70.61±01.51  70.61±01.51  70.61±01.51
LS  58.52±00.85  62.83±00.69  66.39±01.21  67.87±01.28
MCFS  65.17±01.09  69.59±01.10  70.15±01.45  69.93±01.63
GreedyFS  65.22±00.74  68.78±01.42  70.43±01.64  68.96±01.60
PartGreedyFS  63.05±00.98  67.43±00.84  68.74±00.61  69.42±00.64
COIL20
All-Features  73.80±02.20  73.80±02.20  73.80±02.20  73.80±02.20
LS  59.44±01.36  64.81±01.57  67.57±01.48  67.90±01.28
MCFS  63.22±01.42  70.94±01.32  71.00±01.48  72.98±01.29
GreedyFS  65.18±01.91  74.30±01.49  73.34±02.20  74.66±01.43
PartGreedyFS  61.84±01.98  71.65±00.74  73.41±00.75  73.73±00.66
ISOLET
All-Features  75.40±01.82  75.40±01.82  75.40±01.82  75.40±01.82
LS  50.13±00.63  61.03±00.68  65.51±00.91  66.75±01.13
MCFS  48.32±00.92  73.77±01.19  74.20±00.88  73.68±00.89
GreedyFS  57.62±00.81  62.59±01.43  67.09±01.94  69.24±01.49
PartGreedyFS  45.66±01.75  60.39±03.55  66.64±02.73  68.77±01.84
"""
TABLE_6_3 = """
USPS
All-Features  65.73±00.58  65.73±00.58  65.73±00.58  65.73±00.58
LS  27.43±00.14  39.12±00.73  46.47±00.87  48.51±00.74
MCFS  29.41±00.67  46.31±01.80  56.91±01.02  63.08±01.27
GreedyFS  27.44±00.59  54.81±01.04  62.15±01.28  65.17±00.88
PartGreedyFS  21.01±01.12  47.02±01.75  56.30±02.35  61.54±01.61
TDT2-30
All-Features  81.10±01.65  81.10±01.65  81.10±01.65  81.10±01.65
LS  69.33±01.53  76.63±02.51  79.79±01.08  79.26±00.95
MCFS  40.74±00.95  45.07±00.97  55.22±00.88  62.65±01.09
GreedyFS  74.48±01.34  77.73±02.07  80.21±01.88  80.55±01.48
PartGreedyFS  74.10±00.62  78.79±01.15  79.47±00.54  80.09±00.90
20NG
All-Features  55.08±01.75  55.08±01.75  55.08±01.75  55.08±01.75
LS  07.95±00.45  12.08±00.48  21.85±01.00  32.97±00.81
MCFS  21.50±00.68  33.03±00.87  39.64±01.12  40.33±01.03
GreedyFS  34.54±02.45  43.74±01.43  46.58±02.25  48.11±01.09
PartGreedyFS  33.78±00.49  40.62±02.45  39.48±04.92  41.60±05.76
"""


def figures(text):
    """Means and deviations by data set and method."""
    found = {}
    for heading, name, values in rows(text):
        found.setdefault(heading, {})[name.replace("All-", "All ")] = pairs(values)
    return found


@pytest.mark.parametrize(
    ("text", "table"),
    [(TABLE_3_2, columns.TABLE_3_2), (TABLE_3_3, columns.TABLE_3_3)],
    ids=["3.2", "3.3"],
)
def test_chapter_3(text, table):
    code = {
        columns.DATA[data]: {columns.NAMES[method]: tuple(row) for method, row in rows.items()}
        for data, rows in table.items()
    }
    assert code == figures(text)
    assert sum(len(row) for rows in code.values() for row in rows.values()) == 48


@pytest.mark.parametrize(
    ("text", "data"),
    [(TABLE_6_2, ("orl_32x32", "coil20", "isolet")), (TABLE_6_3, ("usps", "tdt2", "20news_full"))],
    ids=["6.2", "6.3"],
)
def test_chapter_6(text, data):
    code = {features.DATA[name]: dict(features.PRINTED[name]) for name in data}
    assert code == figures(text)
    assert sum(len(row) for rows in code.values() for row in rows.values()) == 60


def test_columns_of_the_tables():
    """The percentages above the figures: those of MNIST-4K are others."""
    assert columns.PERCENTS["mnist_2k2k"] == (1, 5, 9, 13)
    others = [columns.PERCENTS[data] for data in columns.TABLES if data != "mnist_2k2k"]
    assert set(others) == {(5, 9, 13, 17)}
    assert features.PERCENTS == (1, 4, 7, 10)
