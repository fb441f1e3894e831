"""One column after another, each the best for a criterion."""
