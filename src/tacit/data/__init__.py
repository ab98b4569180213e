"""Public data sets to try things on, read from files that are there already."""
