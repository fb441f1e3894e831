"""How many columns: three rules that read the error path of a method."""
