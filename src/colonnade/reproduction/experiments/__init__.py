"""One module for each group of tables and figures that share their runs."""
