"""Time, memory and quality, as ratios measured in one run: ``python -m benchmarks``."""
