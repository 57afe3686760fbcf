"""Whose turn it is: each client has its share, and what one does not want the others have.

A client's turn lasts `share` grants, or until it wants none; then it is the next one's that wants any. So of a
resource that all want, client n has ``shares[n] / sum(shares)``, and one that wants it gets it after no more than
``sum(shares) - shares[n]`` grants of others.

Latency: none; the choice comes from `wants` and from registers.
"""

from migen import Case, If, Module, Signal


class Arbiter(Module):
    """Chooses one of those that want a grant.

    Parameters
    ----------
    shares : list of int
        Grants of a turn of each client, at least 1.

    Attributes
    ----------
    wants : Signal(len(shares)), in
        Clients that want a grant. One that wants it goes on to do so until it has it.
    take : Signal(), in
        `choice`, which wants it, has its grant.
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
        left = Signal(max=max(shares) + 1, reset=shares[0], name="left")  # grants of the turn to come
        rest = Signal(max=max(shares) + 1, name="rest")  # behind this one
        self.control = {"turn": turn, "left": left}  # what proofs look at
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
