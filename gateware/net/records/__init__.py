# SPDX-License-Identifier: BSD-2-Clause
"""Records: parses datagrams, finds their sessions, and passes their data through AES-CTR."""
