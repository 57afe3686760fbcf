"""Records: what datagrams hold, whose sessions they are of, and their way through AES-CTR."""
