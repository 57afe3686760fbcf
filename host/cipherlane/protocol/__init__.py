"""Record layouts, COBS and framing: pure functions and parsers, no input or output."""
