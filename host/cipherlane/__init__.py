"""Host side of Cipherlane: talks records to a board, real or simulated.

Layers, lowest first: `transport` (moves records), `protocol` (layouts and framing, pure), `link` (window and
time-outs), `device` and `session` (typed API), `cli` and `views` (parse and show).
"""

__version__ = "0.1.0"
