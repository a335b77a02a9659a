"""Outputs: a shelf, one file an output, each defining OUTPUT."""

from geocheck.reports.writing import OUTPUTS, check_writable, default_names, describe_outputs, output_names, write

__all__ = ["OUTPUTS", "check_writable", "default_names", "describe_outputs", "output_names", "write"]
