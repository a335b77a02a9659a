"""Outputs: a shelf, one file an output."""
