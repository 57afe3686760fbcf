# SPDX-License-Identifier: BSD-2-Clause
"""Converts expressions and statements of Migen to Verilog-2001, with an explicit width for each operand.

LiteX's converter leaves widths to Verilog's rules, and a linter then warns at almost every line. Here each operand is
extended or cut to the width that its result needs. The value is the same: Verilog extends operands to the width of the
context, and sums, bitwise operators and selections may be cut before or after.
"""

from collections.abc import Callable, Iterable

from migen.fhdl.structure import Case, Cat, Constant, If, Replicate, Signal, _Assign, _Operator, _Slice
from migen.fhdl.tools import list_targets

INDENT = "    "
HEX_FROM = 8  # constants with this number of bits or more are written in hexadecimal
COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")
SHIFTS = ("<<<", ">>>")


def width_of(node) -> int:
    """Return the width of an expression by itself, without its context (the self-determined width of Verilog)."""
    if isinstance(node, Constant):
        return node.nbits
    if isinstance(node, _Operator):
        if node.op in COMPARISONS:
            return 1
        if node.op in SHIFTS:
            return width_of(node.operands[0])
        return max(width_of(operand) for operand in node.operands[1 if node.op == "m" else 0 :])
    return len(node)


def is_signed(node) -> bool:
    """Return whether an expression is signed. An operator's result is signed if an operand is signed. The condition of
    a multiplexer and the distance of a shift have no influence.

    Negative constants are written with all their bits, so they need no sign.
    """
    if isinstance(node, Signal):
        return node.signed
    if isinstance(node, _Operator):
        if node.op in SHIFTS:
            return is_signed(node.operands[0])
        return any(is_signed(operand) for operand in node.operands[1 if node.op == "m" else 0 :])
    return False


def constant(value: int, width: int) -> str:
    """Return a Verilog constant of `width` bits. The value must not be negative."""
    return f"{width}'h{value:0{-(-width // 4)}x}" if width >= HEX_FROM else f"{width}'d{value}"


class Writer:
    """Converts expressions and statements to Verilog.

    Parameters
    ----------
    name : function
        Returns the name of a signal.
    is_constant : function
        Tells whether nothing drives a signal: then its reset value is written.
    held : set
        Signals that are only names for a value in later statements. The value is written instead of the signal.
    """

    def __init__(self, name: Callable[[Signal], str], is_constant: Callable[[Signal], bool], held: set):
        self.name = name
        self.is_constant = is_constant
        self.held = held
        self._variables: dict[Signal, object] = {}

    # Expressions -------------------------------------------------------------------------------------------

    def value(self, node, width: int | None = None) -> str:
        """Return the Verilog text of an expression with exactly `width` bits (default: `width_of` the expression)."""
        width = width_of(node) if width is None else width
        if is_signed(node):
            return self._signed(node, width)
        if isinstance(node, Constant):
            return constant(node.value & (1 << width) - 1, width)
        if isinstance(node, _Operator):
            return self._operator(node, width)
        return self._fit(node, width)

    def truth(self, node) -> str:
        """Return a Verilog condition that is true if any bit of the expression is 1."""
        width = width_of(node)
        return self.value(node) if width == 1 else f"({self.value(node)} != {constant(0, width)})"

    def _leaf(self, node) -> str:
        if isinstance(node, Signal):
            if node in self._variables:
                return self.value(self._variables[node], len(node))
            return constant(node.reset.value, len(node)) if self.is_constant(node) else self.name(node)
        if isinstance(node, _Slice):
            if isinstance(node.value, Signal) and self.is_constant(node.value):
                return constant(node.value.reset.value >> node.start & (1 << len(node)) - 1, len(node))
            return self._part(node.value, node.start, node.stop)
        if isinstance(node, Cat):
            if not node.l:
                raise TypeError("an empty concatenation has no Verilog")
            if len(node.l) == 1:
                return self.value(node.l[0])
            return "{" + ", ".join(self._packed(node.l)) + "}"
        if isinstance(node, Replicate):
            return f"{{{node.n}{{{self.value(node.v)}}}}}"
        raise TypeError(f"no Verilog for {type(node).__name__}")

    def _packed(self, values: list) -> list[str]:
        """Return the values of a concatenation, highest bits first. Neighbouring bits of a signal become one slice."""
        runs = []
        for node in values:
            part = (node.value, node.start, node.stop) if isinstance(node, _Slice) else (node, 0, None)
            if runs and part[2] and runs[-1][2] == part[1] and runs[-1][0] is part[0] and isinstance(part[0], Signal):
                runs[-1] = (part[0], runs[-1][1], part[2])
            else:
                runs.append(part)
        return [self.value(node if stop is None else node[start:stop]) for node, start, stop in reversed(runs)]

    def _lowest(self, values: list, width: int) -> str:
        """Return the Verilog text of the lowest `width` bits of a concatenation."""
        kept = []
        while width > len(values[len(kept)]):
            width -= len(values[len(kept)])
            kept.append(values[len(kept)])
        last = self.value(values[len(kept)], width)
        return "{" + ", ".join([last, *self._packed(kept)]) + "}" if kept else last

    def _part(self, node, start: int, stop: int) -> str:
        text = self._leaf(node)
        if isinstance(node, Signal) and (start, stop) == (0, len(node)):
            return text
        if node in self._variables:
            raise TypeError("a slice of a value that is no signal has no Verilog")
        return f"{text}[{stop - 1}:{start}]" if stop - start > 1 else f"{text}[{start}]"

    def _fit(self, node, width: int) -> str:
        have = len(node)
        if have < width:
            return f"{{{constant(0, width - have)}, {self._leaf(node)}}}"
        if have > width:
            if isinstance(node, Signal):
                if self.is_constant(node):
                    return constant(node.reset.value & (1 << width) - 1, width)
                return self._part(node, 0, width)
            if isinstance(node, _Slice):
                return self._leaf(node.value[node.start : node.start + width])
            if isinstance(node, Cat):
                return self._lowest(node.l, width)
            return (
                self.value(Replicate(node.v, -(-width // len(node.v))), width) if len(node.v) == 1 else self._leaf(node)
            )
        return self._leaf(node)

    def _operator(self, node: _Operator, width: int) -> str:
        operator, operands = node.op, node.operands
        if operator in COMPARISONS:
            inner = max(width_of(operand) for operand in operands)
            signed = any(is_signed(o) or (isinstance(o, Constant) and o.value < 0) for o in operands)
            left, right = (self._signed(o, inner) if signed else self.value(o, inner) for o in operands)
            text = f"({left} {operator} {right})"
            return text if width == 1 else f"{{{constant(0, width - 1)}, {text}}}"
        if operator == "m":
            condition, *arms = operands
            left, right = (self.value(arm, width) for arm in arms)
            return f"({self.truth(condition)} ? {left} : {right})"
        if operator in SHIFTS:
            return (
                f"({self.value(operands[0], max(width, width_of(operands[0])))} {operator} {self.value(operands[1])})"
            )
        if len(operands) == 1:
            return f"({operator}{self.value(operands[0], width)})"
        left, right = (self.value(operand, width) for operand in operands)
        return f"({left} {operator} {right})"

    def _signed(self, node, width: int) -> str:
        """Return the Verilog text of a signed expression. The rules of Verilog determine the width of the result."""
        if isinstance(node, Constant):
            bits = max(node.nbits + (not node.signed), width)
            return f"{'-' if node.value < 0 else ''}{bits}'sd{abs(node.value)}"
        if not is_signed(node):
            return f"$signed({{{constant(0, max(1, width - width_of(node)))}, {self.value(node)}}})"
        if isinstance(node, Signal):
            return self._leaf(node)
        if node.op == "m":
            condition, *arms = node.operands
            left, right = (self._signed(arm, width) for arm in arms)
            return f"({self.truth(condition)} ? {left} : {right})"
        if node.op in SHIFTS:
            return f"({self._signed(node.operands[0], width)} {node.op} {self.value(node.operands[1])})"
        if len(node.operands) == 1:
            return f"({node.op}{self._signed(node.operands[0], width)})"
        left, right = (self._signed(operand, width) for operand in node.operands)
        return f"({left} {node.op} {right})"

    # Statements --------------------------------------------------------------------------------------------

    def target(self, node) -> str:
        """Return the Verilog text of the left side of an assignment."""
        if isinstance(node, Cat):
            return "{" + ", ".join(self.target(part) for part in reversed(node.l)) + "}"
        return self.name(node) if isinstance(node, Signal) else self._part(node.value, node.start, node.stop)

    def assignment(self, statement: _Assign, sign: str) -> str:
        """Return the Verilog text of an assignment, without the word `assign`."""
        return f"{self.target(statement.l)} {sign} {self.value(statement.r, len(statement.l))};"

    def statements(self, statements, level: int, sign: str, only: Signal | None = None) -> list[str]:
        """Return statements as Verilog lines. With `only`, return only the statements that assign to this signal."""
        lines = []
        indent = INDENT * level
        for statement in statements if isinstance(statements, Iterable) else [statements]:
            if only is not None and only not in list_targets(statement):
                continue
            if isinstance(statement, _Assign) and isinstance(statement.l, Signal) and statement.l in self.held:
                self._variables[statement.l] = statement.r
            elif isinstance(statement, _Assign):
                lines.append(indent + self.assignment(statement, sign))
            elif isinstance(statement, If):
                lines += self._if(statement, level, sign, only)
            elif isinstance(statement, Case):
                lines += self._case(statement, level, sign, only)
            else:
                lines += self.statements(statement, level, sign, only)
        return lines

    def _if(self, statement: If, level: int, sign: str, only) -> list[str]:
        indent = INDENT * level
        then = self.statements(statement.t, level + 1, sign, only)
        otherwise = self.statements(statement.f, level + 1, sign, only)
        if not then and not otherwise:
            return []
        lines = [f"{indent}if ({_bare(self.truth(statement.cond))}) begin", *then]
        if otherwise:
            lines += [f"{indent}end else begin", *otherwise]
        return [*lines, f"{indent}end"]

    def _case(self, statement: Case, level: int, sign: str, only) -> list[str]:
        indent, inner = INDENT * level, INDENT * (level + 1)
        width = width_of(statement.test)
        certain = chosen(statement, self.is_constant)
        if certain is not None:
            return self.statements(certain, level, sign, only)
        lines = [f"{indent}case ({_bare(self.value(statement.test))})"]
        choices = sorted((key.value, body) for key, body in statement.cases.items() if isinstance(key, Constant))
        choices = [(constant(key & (1 << width) - 1, width), body) for key, body in choices]
        for key, body in [*choices, ("default", statement.cases.get("default", []))]:
            text = self.statements(body, level + 2, sign, only)
            if len(text) <= 1:
                lines.append(f"{inner}{key}: {text[0].strip() if text else ';'}")
            else:
                lines += [f"{inner}{key}: begin", *text, f"{inner}end"]
        return [*lines, f"{indent}endcase"]


def chosen(statement: Case, is_constant: Callable[[Signal], bool]) -> list | None:
    """Return the only branch that a `Case` can take, or None if a signal decides between several branches."""
    if set(statement.cases) == {"default"}:
        return statement.cases["default"]
    test = statement.test
    if isinstance(test, Signal) and is_constant(test):
        test = test.reset
    if not isinstance(test, Constant):
        return None
    bodies = [body for key, body in statement.cases.items() if isinstance(key, Constant) and key.value == test.value]
    return bodies[0] if bodies else statement.cases.get("default", [])


def _bare(text: str) -> str:
    """Return an expression without its outermost parentheses, if they enclose the whole expression."""
    depth = 0
    for place, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0 and place < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text
