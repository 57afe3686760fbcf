"""Figures that are kept in the repository, and the pages and plots that are made of them: ``python -m results``."""
