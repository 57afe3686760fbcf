# SPDX-License-Identifier: BSD-2-Clause

# `west build -t run` and twister start the simulated board with the application in its ROM.
if(BOARD MATCHES "^cipherlane_sim")
  set(SUPPORTED_EMU_PLATFORMS custom)
  if(EXISTS ${ZEPHYR_BASE}/cmake/emu/custom.cmake)
    set(cipherlane_run run_custom)
  else() # a release without custom emulators; it makes no target for one
    set(cipherlane_run run)
  endif()
  get_filename_component(cipherlane_checkout ${CMAKE_CURRENT_LIST_DIR}/../../../.. ABSOLUTE)
  add_custom_target(${cipherlane_run}
    COMMAND .venv/bin/python -m gateware.flow.emulator ${BOARD} ${PROJECT_BINARY_DIR}/${KERNEL_BIN_NAME}
    DEPENDS ${logical_target_for_zephyr_elf}
    WORKING_DIRECTORY ${cipherlane_checkout}
    USES_TERMINAL
  )
endif()
