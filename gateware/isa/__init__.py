"""The vector AES unit: VexRiscv's vector unit after Jenkins et al. 2007, on the CFU port."""
