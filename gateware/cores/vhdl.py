# SPDX-License-Identifier: BSD-2-Clause
"""Writes a VHDL package with the component declaration of a core."""

from .ports import Design


def component(design: Design, name: str, spdx: str) -> str:
    """Return the text of the VHDL package ``NAME_component.vhd``."""
    ports = [
        f"      {port.name} : {port.direction:<3} "
        + ("std_logic" if port.width == 1 else f"std_logic_vector({port.width - 1} downto 0)")
        for port in design.ports
    ]
    lines = [
        f"-- Component declaration of {name}, whose source is {name}.v.",
        f"-- {spdx}",
        "",
        "library ieee;",
        "use ieee.std_logic_1164.all;",
        "",
        f"package {name}_component is",
        f"  component {name} is",
        "    port (",
        ";\n".join(ports),
        "    );",
        f"  end component {name};",
        f"end package {name}_component;",
        "",
    ]
    return "\n".join(lines)
