"""Cipherlane's gateware: AES cores, the CTR accelerator, the vector AES unit and the SoC."""
