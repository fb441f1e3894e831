"""Genes and cells of AnnData: a few genes to measure, a few cells to look at.

Needs the package anndata: ``pip install "colonnade[bio]"``.
"""

from .cells import sketch_cells
from .genes import select_genes

__all__ = ["select_genes", "sketch_cells"]
