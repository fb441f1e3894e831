"""Certificates: what was lost, measured on the data, beside what the theorem promises."""

from .assembly import certify
from .certificate import Certificate, Check

__all__ = ["Certificate", "Check", "certify"]
