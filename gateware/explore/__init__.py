"""Explorations: parts of the gateware placed and routed alone, beside each other."""
