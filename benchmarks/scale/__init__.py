"""Data in chunks: what the suite ``scale`` measures, a module for each group of cases."""
