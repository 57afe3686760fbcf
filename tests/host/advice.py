# SPDX-License-Identifier: BSD-2-Clause
"""Finds each piece of advice in the errors and notes of the host tool, and lists the test that follows the advice."""

import ast
import re
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "host"
# A text that matches this pattern tells the user to type or do something.
_ADVISES = re.compile(
    r"--[a-z]{2,}|`|chmod|pip install|CIPHERLANE_|\bdelete\b|\bname another\b|\bIN -|\btry again\b"
    r"|\bgive (another|the|a|an)\b|\bstart \b|\bcopy it\b|\bwrite it\b|\bmake room\b|\bmove it\b"
    r"|\bbegin again\b|\band resume\b|\bresume with\b|\bto resume\b|\bload \b"
)
# Texts in these files match the pattern, but give no advice. Two of the files contain style sheets, and the third
# writes a page.
_NO_ADVICE = {"cipherlane/report/page.py", "cipherlane/report/sorting.py", "cipherlane_base/wire/reference.py"}
_NO_ERRORS = {
    "add_argument",
    "add_command",
    "add_parser",
    "add_timeout",
    "Parser",
    "Setting",
    "compile",
    "show",
    "Check",
}


def given() -> dict[str, str]:
    """Find each text in the sources that gives advice. Return a dictionary that maps the text, with `{}` for inserted
    values, to its file and line.
    """
    found = {}
    for path in sorted(SOURCES.glob("cipherlane*/**/*.py")):
        if path.relative_to(SOURCES).as_posix() in _NO_ADVICE:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        skipped = {id(node) for parent in ast.walk(tree) for node in _skipped(parent)}
        stack: list[ast.AST] = [tree]
        while stack:
            node = stack.pop()
            if id(node) in skipped:
                continue
            text = _text(node)
            if text is None:
                stack += ast.iter_child_nodes(node)
            elif len(text) > 14 and " " in text and text[0] != "#" and "{ " not in text and _ADVISES.search(text):
                found[text] = f"{path.relative_to(SOURCES)}:{getattr(node, 'lineno', 0)}"
    return found


def _skipped(node: ast.AST) -> list[ast.AST]:
    """Return the nodes below `node` that contain no error messages: a docstring, the operands of a comparison, or the
    arguments of some calls, such as help texts and patterns.
    """
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        first = node.body[0] if node.body else None
        return [first] if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) else []
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return [*node.args, *node.keywords] if name in _NO_ERRORS else []
    return [node.left, *node.comparators] if isinstance(node, ast.Compare) else []


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


# Maps a phrase from each piece of advice to the test that follows this advice.
RUN = {
    "or it failed when keys changed; run `cipherlane pair`": "test_pair::test_doctor_says_that_a_fault_closed_the_port",
    "no frame passes until the next `cipherlane pair`": "test_pair::test_undo_on_a_board_that_requires_macsec",
    "name the UART with --port": "test_pair::test_no_key_crosses_a_network",
    "or give --mac-address of another one": "test_pair::test_advice",
    "name the interface with --interface, and FILE": "test_pair::test_advice",
    "`cipherlane pair` protects them": "test_pair::test_doctor_and_info_report_the_link",
    "no build id in {}: give an id as": "test_advice::test_of_build_ids",
    "give it another name, or name another {}": "test_advice::test_of_files_that_are_in_the_way",
    "it is write-protected; chmod u+w it": "test_advice::test_of_files_that_are_there",
    "name another with {}": "test_advice::test_of_files_that_are_there",
    "name another {}": "test_advice::test_of_files_that_are_there",
    "{} already exists: {}, or replace it with --force": "test_advice::test_of_files_that_are_there",
    "replace the link with --force": "test_claims::test_links_are_replaced_and_not_followed",
    "name another OUT": "test_advice::test_of_files_that_are_there",
    "CIPHERLANE_PORT and others": "test_advice::test_of_ports",
    "`split -b": "test_inputs::test_a_stream_that_is_too_long_says_how_to_split_it",
    "cycle the board's power, or use another board, and begin again": "test_advice::test_of_beginning_again",
    "begin again without --iv, or with another IV": "test_advice::test_of_beginning_again",
    "--duration and --bytes both": "test_advice::test_of_options_that_go_with_others",
    "these engines have no AES-GCM on this board": "test_advice::test_of_options_that_go_with_others",
    "--link measures AES-CTR only: leave --mode gcm out": "test_advice::test_of_options_that_go_with_others",
    "--interval goes with --link": "test_advice::test_of_options_that_go_with_others",
    "--window, and more than one": "test_advice::test_of_options_that_go_with_others",
    "or give --cipher eea2": "test_advice::test_of_lte",
    "is not for --cipher {}: give {}": "test_advice::test_of_lte",
    "its original port and engine": "test_resume::test_records_are_of_one_size_from_begin_to_end",
    "holds the first {} bytes; to resume: {}": "test_advice::test_of_going_on",
    "delete {} and {}, and {}": "test_advice::test_of_an_output_that_is_not_as_it_was",
    "--verify has no reference for {}": "test_advice::test_of_lte",
    "{} has no AES-GCM: use {}, or give --raw": "test_authenticated::test_boards_and_engines_without_gcm",
    "decrypt it with --port none": "test_authenticated::test_a_board_that_has_handled_the_file_says_how_to_decrypt_it",
    "--iv goes with --raw": "test_authenticated::test_raw_files_are_told_apart",
    "if encrypt --raw wrote it, give --raw and --iv": "test_authenticated::test_raw_files_are_told_apart",
    "begin again without --resume": "test_authenticated::test_a_pipe_is_resumed_unless_the_board_forgot",
    "--{} is about a board: leave it out": "test_authenticated::test_without_a_board_only_what_needs_none",
    "--port none only decrypts": "test_authenticated::test_without_a_board_only_what_needs_none",
    "get the file again, or give the key": "test_authenticated::test_a_refusal_names_record_and_remedy",
    "decrypt --raw needs --iv": "test_advice::test_of_keys_and_blocks",
    "--json and OUT -": "test_advice::test_of_standard_streams",
    "--key-file - and IN -": "test_advice::test_of_standard_streams",
    "the demo's engines: name others with --engine": "test_advice::test_of_engines",
    "demo --key-bits all --port {}": "test_advice::test_of_the_demo",
    "selftest --port {}": "test_advice::test_of_the_demo",
    "bench --port {}": "test_advice::test_of_the_demo",
    "compare it with --expect": "test_advice::test_of_build_ids",
    "or name the board's network with --network": "test_advice::test_of_ports",
    "cannot write {}: {}; name another with {}": "test_advice::test_of_files_that_are_there",
    "cannot write {}: {}; name another file": "test_advice::test_of_new_keys",
    "pass it with --key-file -": "test_surroundings::test_a_key_file_that_cannot_be_private_is_given_as_standard_input",
    "a key is never replaced: name another file": "test_advice::test_of_new_keys",
    "--listen {}: give an address as": "test_advice::test_of_the_live_view",
    "name another with --listen": "test_advice::test_of_the_live_view",
    "reach it with --allow-host": "test_live_server::test_all_addresses_may_be_listened_to_where_names_are_allowed",
    "start it with --allow-host": "test_live_server::test_all_addresses_may_be_listened_to_where_names_are_allowed",
    "--allow-host {}: give": "test_live_server::test_an_allowed_host_reaches_page_and_messages_and_no_other_does",
    "./- is a file, --json writes": "test_advice::test_of_standard_streams",
    "top needs a terminal": "test_advice::test_of_commands_that_the_terminal_view_names",
    "top prints no JSON": "test_advice::test_of_commands_that_the_terminal_view_names",
    "measure with bench --link": "test_advice::test_of_engines",
    "give --key-bits 128": "test_advice::test_of_lte",
    "give a multiple of {} up to {}": "test_advice::test_of_numbers",
    "nothing can be sent to {}": "test_advice::test_of_ports",
    "give a shorter one": "test_advice::test_of_lte",
    "`(umask 077; {} {} > {})`": "test_surroundings::test_a_key_file_in_another_form_is_mended",
    "another owner, name or kind; delete it": "test_advice::test_of_files_that_are_in_the_way",
    "to resume: start without --resume": "test_advice::test_of_files_that_are_in_the_way",
    "meanwhile: move it, or add --force": "test_advice::test_of_an_output_that_comes_to_be_meanwhile",
    "has the name of one: delete or rename it": "test_advice::test_of_files_that_are_in_the_way",
    "continue it with --resume, or delete it": "test_advice::test_of_an_output_that_is_not_as_it_was",
    "cannot be locked on this file system: delete it": "test_advice::test_of_a_place_without_locks",
    "--resume needs an output file": "test_advice::test_of_standard_streams",
    "start without --resume (--raw: under another IV)": "test_advice::test_of_an_output_that_is_not_as_it_was",
    "pipe it to IN -, or give a copy": "test_inputs::test_a_long_file_that_says_more_than_it_has",
    ": give a shorter name": "test_advice::test_of_files_that_are_there",
    ": make room on the disk": "test_resume::test_a_full_disk_loses_nothing",
    "resume with the original input and options": "test_advice::test_of_an_output_that_is_not_as_it_was",
    "chmod 600 {}; where that changes nothing": "test_advice::test_of_keys_and_blocks",
    "--key-file takes the name of a file": "test_advice::test_of_keys_and_blocks",
    "no key: use --key-file FILE": "test_advice::test_of_keys_and_blocks",
    "sees --key: use --key-file FILE": "test_advice::test_of_keys_and_blocks",
    "cannot read the image {}: {}; give another": "test_advice::test_of_the_live_view",
    "--bits {} is negative: give 0 or more": "test_advice::test_of_lte",
    "--count, --bearer and --direction make": "test_advice::test_of_lte",
    "{} goes with --cipher eea1 or eea2": "test_advice::test_of_lte",
    "give --bits from {} to {}": "test_advice::test_of_lte",
    "is more than {} has: give at most {}": "test_advice::test_of_lte",
    "--bits goes with a file as IN": "test_advice::test_of_lte",
    "give a shorter file, or --cipher eea2": "test_advice::test_of_lte",
    "wait until it has ended": "test_advice::test_of_another_run",
    "give --raw and an --iv that was never used": "test_keys::test_initial_block_that_the_board_draws",
    "start anew under another IV or none": "test_advice::test_of_beginning_again",
    "`cipherlane info` lists the engines": "test_advice::test_of_engines",
    "close one, or try again later": "test_advice::test_of_another_run",
    "make room, or name another with --log": "test_advice::test_of_logs",
    "name another file with --log": "test_advice::test_of_logs",
    "another file is called {} by now": "test_claims::test_a_log_continues_while_its_command_does",
    "a null board tests no engine: `cipherlane bench --link`": "test_advice::test_of_engines",
    "`cipherlane bench --results FILE` makes one": "test_advice::test_of_commands_that_others_name",
    "git refuses this checkout": "test_surroundings::test_a_checkout_that_git_refuses",
    "save it as UTF-8, or delete it": "test_advice::test_of_the_configuration",
    "delete it there, and name a key file": "test_advice::test_of_the_configuration",
    "mend or delete it": "test_advice::test_of_the_configuration",
    "write it, or unset {}": "test_advice::test_of_the_configuration",
    "not shown here, but by --json": "test_advice::test_of_tables_that_do_not_fit",
    "did you mean --port {}?": "test_advice::test_of_ports",
    "reports it as closed: check the address, or start": "test_closed_port::test_every_command_tells_a_closed_port",
    "shows the route": "test_closed_port::test_advice_on_a_silent_board_can_be_run",
    "`cipherlane find` lists what is there": "test_advice::test_of_ports",
    "`cipherlane find` lists them": "test_advice::test_of_ports",
    "cannot open port {}: {}; name {} with --port": "test_advice::test_of_ports",
    "start the board or the simulated board first": "test_advice::test_of_ports",
    "cipherlane null-board": "test_advice::test_of_commands_that_others_name",
    "give the IPv4 address of the board": "test_advice::test_of_ports",
    "check the address, or start the board": "test_advice::test_of_ports",
    "`cipherlane bench --link` uses it": "test_doctor::test_the_null_board",
    "; --log FILE records what is sent and received": "test_advice::test_of_faults_of_the_tool",
    "`cipherlane selftest` shows what failed": "test_reports::test_the_self_test_runs_first",
    "`cipherlane bench --report FILE` writes one": "test_reports::test_a_report_is_read_as_it_was_written",
    "SPI flash: say --memory spi": "test_flashing::test_a_board_with_a_bootloader_is_loaded_into_its_flash",
    "with --allow-host NAME:PORT": "test_live_server::test_an_allowed_host_reaches_page_and_messages_and_no_other_does",
}
# Advice that no test follows. Maps a phrase from each such piece of advice to the reason.
NOT_RUN = {
    "a report needs a board that `make bitstream` built": "would place and route",
    "ask its author for the file that `cipherlane bench` wrote": "is for a person",
    "start wpa_supplicant with the file": "changes the machine; tests/end_to_end/test_linux_peer.py runs it elsewhere",
    "is not the name of an interface: see": "lists interfaces",
    "pip install cipherlane again": "would install the tool",
    "pip install 'cipherlane[": "would install packages; that there are such extras: test_advice::test_of_packages",
    "`make bitstream` writes it next": "would place and route; tests/gateware/flow has the description",
    "openFPGALoader is missing": "would install a package",
    "its SPI flash is protected": "needs a board whose flash is protected",
    "`{}` loads another": "needs a board whose firmware does not run: tests/end_to_end/test_flash.py",
    "`sudo make udev`": "changes the machine; tests/gateware/flow has its rules",
    "sudo ip addr add": "changes the machine",
    "bench --link --engine fastpath": "needs the fast path, of the simulated board with Ethernet",
    "make sim": "builds for a minute; that there is such a target: test_advice::test_of_targets",
    "`{}` in the repository": "is the target above",
    "make firmware BOARD": "needs a bitstream; that there is such a target: test_advice::test_of_targets",
    "run as root, or use --port sim": "takes the simulated board",
    "your quota is used up": "a quota is the machine's",
    "power, cable and --port": "is about cables",
    "cable, --port and --baud": "is about cables",
    "end other programs, or raise the limit": "is about the machine's memory and limits",
    "`ulimit -v`": "a limit is the machine's",
    "load another": "needs firmware that fails on a board",
    "load the one that was built": "needs a bitstream",
    "`cipherlane load` starts": "needs a board with a loader: tests/end_to_end/test_loader.py",
    "name a serial port with --port": "needs a serial port",
    "copy it again": "is about a copy that was damaged",
    "no way to a camera": "is of systems without cameras",
    "cannot read the {} {}: {}; give another": "is of films, as of images",
    "has just ended with {}: try again": "a race of two runs, over when it is seen",
    "is a symbolic link, which is not followed: delete it": "as of files of another kind",
    "report this as a defect": "cannot come",
    "the board's power was cycled, it is another board": "a resumed transfer begins a new range by itself",
    "try again when the other session has ended": "as of sessions that are full",
    "a ticket resumes a range": "is of the package's functions, not of a command",
    "give a multiple of record_bytes": "is of the package's functions, not of a command",
    "is not running: start it": "is of the package's functions, not of a command",
}
