"""Columns that tell classes apart."""
