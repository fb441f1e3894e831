"""One loop: partial Cholesky factorization with a pivot rule."""
