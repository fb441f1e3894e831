"""Random columns."""
