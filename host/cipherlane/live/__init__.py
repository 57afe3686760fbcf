"""The live view: a picture through the board, shown in a browser while it goes there and comes back.

`pictures` makes what is sent and `video` reads films by PyAV, `frames` cuts the stream into pictures, `streamer` talks
to the board through `Device` and `Session` as all commands do, `comparison` has engines take turns, `figures` are of
stretches, `showing` is what is said of a picture, `peer` a second board that decrypts, `hub` keeps the newest message
for each browser, `server` serves them and the page, `waiting` bounds the connections that are no viewers. All this
needs the extra `live`, and `video` the extra of its name.

The state, which the hub has as JSON, has these fields:

- `state` (streaming, waiting or away) and `message`, what is wrong;
- `board`: name, kind, clock_mhz, firmware; `counters` of the board by name;
- `choice`, the fields of `showing.Choice`, and `running`, those under which results came last: where they differ, the
  choice has not taken effect yet;
- `options` for each field, `titles` of engines, `racers`, the fastest engine of each kind;
- `edge` of pictures in pixels, `fewest_pictures` a second below which they have half the bits;
- `latest`, the last figures of each engine, `points`, those of the last stretches, oldest first, `compared`, those of
  engines that take turns or none: each as `figures.point` says; `points` also have `host_share`, the tool's part of a
  core, and the `bits` of a pixel.

A picture is a head in JSON, whose fields `showing` has, behind its size in four bytes, little endian; then plaintext,
wire and decrypted picture.
"""
