"""One column after another, by what is left of it."""
