"""Textbook pieces that know nothing of selection."""
