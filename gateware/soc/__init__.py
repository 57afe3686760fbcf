"""The SoC with its memory map, buffer memory and Ethernet. `gateware.flow` builds it."""
