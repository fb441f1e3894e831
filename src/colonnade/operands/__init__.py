"""Matrices whose columns are the candidates: the only rooms that know containers."""
