"""The UDP fast path: record datagrams through AES-CTR and back, with no CPU in the data path.

Words are 32 bits; byte i of a frame, datagram or record is bits ``8*(i%4)+7 : 8*(i%4)`` of word ``i//4``, as in
LiteEth and in the rest of the gateware. Lengths are in bytes unless said otherwise.
"""

WORD_BITS = 32
WORD_BYTES = WORD_BITS // 8
