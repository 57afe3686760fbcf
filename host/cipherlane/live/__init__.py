# SPDX-License-Identifier: BSD-2-Clause
"""The live view sends pictures through the board. A browser shows each picture as plaintext, encrypted, and decrypted.

`pictures` makes the pictures to send, and `video` reads films with PyAV. `frames` divides the stream into pictures.
`streamer` talks to the board through `Device` and `Session`, as all commands do. `comparison` lets engines take turns.
`figures` computes the figures of a stretch, a session of some seconds. `showing` prepares a picture for browsers.
`peer` is a second board that decrypts. `hub` keeps the newest message for each browser, and `server` serves the
messages and the page. `waiting` limits connections that are not yet viewers. All this needs the extra `live`, and
`video` needs the extra `video`.

The state, which the hub holds as JSON, has these fields:

- `state` (streaming, waiting or away) and `message`, which says what is wrong;
- `board`: name, kind, clock_mhz, firmware; `counters` of the board by name;
- `choice`, the fields of `showing.Choice`, and `running`, the choice that the latest results belong to: while the two
  differ, the choice has not taken effect yet;
- `options` for each field, `titles` of engines, `racers`, the fastest engine of each kind;
- `edge` of pictures in pixels, `fewest_pictures`, the pictures a second below which they are sent with half the bits;
- `latest`, the last figures of each engine; `points`, the figures of the last stretches, oldest first; `compared`, the
  figures of engines that take turns, or none. Each has the form of `figures.point`; `points` also have `host_share`,
  the share of a core that the tool uses, and the `bits` of a pixel.

A picture message starts with the size of a JSON head in four bytes, little endian. The head follows, with the fields
that `showing` sets, and then the plaintext, the wire and the decrypted picture.
"""
