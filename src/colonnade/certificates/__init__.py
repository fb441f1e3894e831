"""Certificates: what was lost, measured on the data and compared with what was promised."""

from .assembly import certify
from .certificate import Certificate, Check

__all__ = ["Certificate", "Check", "certify"]
