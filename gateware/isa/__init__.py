"""The vector AES unit on VexRiscv's CFU port, after Jenkins et al. 2007."""
