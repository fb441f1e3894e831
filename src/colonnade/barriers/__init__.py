"""The other loop: columns and weights that keep eigenvalues between two barriers."""
