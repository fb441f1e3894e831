"""Columns that stand for the others: each is the nearest of the chosen ones to some of them."""
