"""Static checks on ordinances: a shelf, one file a check, each defining CHECK."""
