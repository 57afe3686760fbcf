"""Records: parses datagrams, finds their sessions, and passes their data through AES-CTR."""
