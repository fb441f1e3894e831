"""Certificates: what was lost, measured on the data, beside what the theorem promises."""

from .measure import certify
from .report import Certificate, Check

__all__ = ["Certificate", "Check", "certify"]
