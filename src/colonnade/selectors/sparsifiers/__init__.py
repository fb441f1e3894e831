"""Columns and weights that keep a spectrum."""
