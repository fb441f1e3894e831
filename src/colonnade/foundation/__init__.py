"""What everything stands on: types, threads, LAPACK, parameters, warnings, whole files."""
