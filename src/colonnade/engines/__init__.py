"""The loops that methods are rules, targets and barriers for."""
