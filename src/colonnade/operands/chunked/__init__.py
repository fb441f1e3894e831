"""Data in chunks that are never together in memory: arrays and frames of Dask."""
