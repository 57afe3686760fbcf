"""The package's version: a module of its own, for what its parts write of it."""

__version__ = "0.1.0"
