# SPDX-License-Identifier: BSD-2-Clause
"""The boards' cables on USB. Written by `make pages` from gateware/boards: do not edit."""

# Each row describes a cable: USB vendor and product id, chip, the boards that have it, and the USB id and interface of
# its UART (empty if the cable has no UART).
ROWS = (
    ("0403:6010", "FT2232H", "LambdaConcept ECPIX-5 R01, R02", "0403:6010/01"),
    ("0403:6010", "FT2232H", "Lattice ECP5-5G Versa", "0403:6010/01"),
    ("0403:6011", "FT4232H", "LambdaConcept ECPIX-5 R03", "0403:6011/02"),
    ("0403:6015", "FT231X", "Radiona ULX3S", "0403:6015"),
    ("0d28:0204", "CMSIS-DAP", "Colorlight i5 v7.0", "0d28:0204"),
    ("1209:5af0", "DFU bootloader", "OrangeCrab r0.2", ""),
    ("1209:5af1", "DFU bootloader", "ButterStick", ""),
)
