"""A page of HTML from files of figures, as `cipherlane.results.write` makes them.

`sources` reads and checks the files, `figures` finds tables and plots in them, `page` writes them down. The files may
be anybody's: nothing of them is taken for markup, and what is none of these files is refused.
"""
