"""Files that the tool reads and writes: names, permissions, replacement, keys and images."""
