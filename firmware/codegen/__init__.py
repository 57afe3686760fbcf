"""Generators of C headers and reference pages from the project's single definitions."""
