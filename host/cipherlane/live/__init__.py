"""The live view: a picture through the board, shown in a browser while it goes there and comes back.

`pictures` makes what is sent, `frames` cuts the stream into pictures, `streamer` talks to the board through `Device`
and `Session` as all commands do, `hub` keeps the newest message for each browser, `server` serves them and the page.
All this needs the extra `live`, and no other command imports it.
"""
