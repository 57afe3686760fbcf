# SPDX-License-Identifier: BSD-2-Clause
"""Divides a resource among clients by fixed shares. A grant that a client does not need goes to another client.

A client's turn lasts `share` grants, or ends early when the client wants no more. Then the turn passes to the next
client that wants a grant. If all clients want grants, client n gets ``shares[n] / sum(shares)`` of them. A client waits
for at most ``sum(shares) - shares[n]`` grants of others.

Latency: none; the choice comes from `wants` and from registers.
"""

from migen import Case, If, Module, Signal


class Arbiter(Module):
    """Chooses, in each cycle, one of the clients that request a grant.

    Parameters
    ----------
    shares : list of int
        Grants in a turn of each client, at least 1.

    Attributes
    ----------
    wants : Signal(len(shares)), in
        Clients that want a grant. A client keeps its bit set until it has the grant.
    take : Signal(), in
        The client `choice` takes its grant.
    choice : Signal, out
        A client that wants a grant, if any does.
    """

    def __init__(self, shares: list[int]):
        if min(shares) < 1:
            raise ValueError(f"shares are {shares}; give at least 1 each")
        clients = len(shares)
        self.wants = Signal(clients)
        self.take = Signal()
        self.choice = Signal(max=max(clients, 2))

        # # #

        turn = Signal(max=max(clients, 2), name="turn")
        # number of grants that client number `turn` can still take before the next client's turn
        left = Signal(max=max(shares) + 1, reset=shares[0], name="left")
        # number of grants that client number `choice` can still take after the grant of this cycle
        rest = Signal(max=max(shares) + 1, name="rest")
        self.control = {"turn": turn, "left": left}  # signals that the formal proofs use
        for first in range(clients):
            order = [(first + n) % clients for n in range(clients)]
            chosen = self.choice.eq(first)
            for n in reversed(order):
                chosen = If(self.wants[n], self.choice.eq(n)).Else(chosen)
            self.comb += If(turn == first, chosen)
        self.comb += [
            Case(self.choice, {n: rest.eq(share - 1) for n, share in enumerate(shares)}),
            If(self.choice == turn, rest.eq(left - 1)),
        ]
        following = {n: [turn.eq((n + 1) % clients), left.eq(shares[(n + 1) % clients])] for n in range(clients)}
        self.sync += If(
            self.take,
            turn.eq(self.choice),
            left.eq(rest),
            If(rest == 0, Case(self.choice, following)),
        )
