# SPDX-License-Identifier: BSD-2-Clause

get_filename_component(cipherlane_checkout ${CMAKE_CURRENT_LIST_DIR}/../../../.. REALPATH)

# `west build -t run` and twister start the simulated board with the application in its ROM.
if(BOARD MATCHES "^cipherlane_sim")
  set(SUPPORTED_EMU_PLATFORMS custom)
  add_custom_target(run_custom
    COMMAND .venv/bin/python -m gateware.flow.emulator ${BOARD} ${PROJECT_BINARY_DIR}/${KERNEL_BIN_NAME}
    DEPENDS ${logical_target_for_zephyr_elf}
    WORKING_DIRECTORY ${cipherlane_checkout}
    USES_TERMINAL
  )
endif()

# `west flash` prints how the application gets onto the board.
board_set_flasher_ifnset(misc-flasher)
board_finalize_runner_args(misc-flasher ${CMAKE_CURRENT_LIST_DIR}/flash ${BOARD})
