"""Columns that follow a graph of near rows."""
