"""A page of HTML from files of figures, as `cipherlane.results.write` makes them.

`sources` reads and checks the files, `figures` finds tables and plots in them, `best` what readers look for first,
`words` names and numbers for people, `sorting` tables that are sorted with no script, `page` writes it all down. The
files may be anybody's: nothing of them is taken for markup, and what is none of these files is refused.
"""
