# SPDX-License-Identifier: BSD-2-Clause
"""Generates cores for other designs: Verilog with a README, test benches, a FuseSoC file and a VHDL declaration.

::

    options ─► kind of core ─► design: module, ports, checks ─┬─► Verilog
                                                              ├─► page, C header, VHDL component
                                                              ├─► test benches: Verilog, cocotb
                                                              └─► FuseSoC file, harness for the ECP5

``make core`` and ``python -m gateware.cores`` write these files (`gateware.cores.write`). Everything is checked before
anything is built. The files depend on the options only: not on dates, paths, or the order in which Python visits sets.

`gateware.cores.kinds` has the kinds of cores. An extension
(`gateware.extensions`) adds one by `gateware.cores.kinds.register`.
"""
