"""Methods beside one another: many runs, kept as they come, and which differences count."""
