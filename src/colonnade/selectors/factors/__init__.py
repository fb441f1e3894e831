"""Columns that stand for principal components or for groups of columns."""
