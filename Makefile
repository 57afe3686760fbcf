# Cipherlane: the one entry point. `make help` lists the targets.

BOARD    ?= ecpix5
FILE     ?= README.md
KEY_BITS ?=
FUZZ_SECONDS ?= 60
TRANSPORT ?= uart
PORT     ?= $(if $(filter udp,$(TRANSPORT)),sim+udp,sim)
FIRMWARE ?= baremetal
PYTHON   := .venv/bin/python
export PATH := $(CURDIR)/.venv/bin:$(PATH)

.DEFAULT_GOAL := help
$(if $(filter-out baremetal zephyr,$(FIRMWARE)),$(error FIRMWARE=$(FIRMWARE): choose baremetal or zephyr))
$(if $(filter-out uart udp,$(TRANSPORT)),$(error TRANSPORT=$(TRANSPORT): choose uart or udp))
ON_ZEPHYR := $(if $(filter zephyr,$(FIRMWARE)),_zephyr)
OVER_UDP := $(filter sim+udp,$(PORT))
SIM := sim$(if $(OVER_UDP),_eth)$(ON_ZEPHYR)

.PHONY: help setup sim zephyr zephyr-setup zephyr-twister demo test lint format bitstream flash bench bench-dma bench-eth bench-udp stress fuzz mutants sweep formal netlist explore explore-isa pages readme package clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  options: BOARD=ecpix5  FILE=path  TRANSPORT=uart|udp  KEY_BITS=128|192|256 (default: all three)"
	@echo "           PORT=sim|sim+udp|udp://host|/dev/ttyUSB0"
	@echo "           MUTANTS='--count 300 --seed 1 --jobs 2 --part host' (default: 300 of all parts)"
	@echo "           EXPLORE='--jobs 2 --datapath 128 --peer usselmann=FOLDER' (default: the whole family)"
	@echo "           FIRMWARE=baremetal|zephyr (sim, demo, bench-udp)  ZEPHYR_BASE=path (a Zephyr tree; see firmware/zephyr)"

setup: ## Install what is missing: Debian packages and the Python environment .venv
	@.ci/setup

sim: setup ## Build the simulated board (build/sim; with TRANSPORT=udp and FIRMWARE=zephyr build/sim_eth_zephyr)
	@$(PYTHON) -m gateware.soc $(SIM)

zephyr: setup ## Build the firmware on Zephyr for BOARD=sim or sim_eth (with the board), ecpix5 or ecpix5_eth
	@$(PYTHON) -m gateware.soc $(BOARD)_zephyr $(if $(filter sim%,$(BOARD)),,--image)

zephyr-setup: setup ## Install what Zephyr's build needs and, without ZEPHYR_BASE, a Zephyr tree (build/zephyr)
	@firmware/zephyr/setup

zephyr-twister: setup ## Compile the Zephyr module's test suites by Zephyr's own test runner
	@$(PYTHON) -m gateware.soc sim_zephyr --image
	@$(PYTHON) -m gateware.soc.twister

demo: sim ## Encrypt a file on the simulated board with every engine, check it, show the table
	@CIPHERLANE_SIM$(if $(OVER_UDP),_ETH)=$(CURDIR)/build/$(SIM) .venv/bin/cipherlane demo --port $(PORT) \
		$(if $(KEY_BITS),--key-bits $(KEY_BITS)) --results build/results/demo$(ON_ZEPHYR)$(if $(OVER_UDP),_udp).json "$(FILE)"

test: setup lint sim ## Lint, then all tests (no board needed)
	@$(PYTHON) -m gateware.soc sim_eth
	@$(PYTHON) -m pytest

lint: setup ## ruff, clang-format, cppcheck, Verilator lint, generated pages
	@.ci/lint

format: setup ## Rewrite Python and C sources in the project's format
	@.venv/bin/ruff check --fix --quiet . ; .venv/bin/ruff format --quiet .
	@git ls-files -z '*.c' '*.h' | xargs -0 clang-format --style=file:firmware/.clang-format -i

bitstream: setup ## Build the bitstream for BOARD, firmware inside (build/<board>)
	@$(PYTHON) -m gateware.soc $(BOARD)

flash: setup ## Write the bitstream to the attached BOARD's configuration flash
	@$(PYTHON) -m gateware.soc $(BOARD) --flash

bench: sim ## Measure every AES of the project and its peers on the simulated board, or the engines of that at PORT
	@if [ "$(PORT)" = sim ]; then $(PYTHON) -m tests.bench; \
	else .venv/bin/cipherlane bench --port $(PORT) --results build/results/bench.json; fi

bench-eth: setup ## Measure the UDP fast path at 1 Gb/s in simulated time, every byte checked (build/results/bench-eth.json)
	@$(PYTHON) -m tests.bench_eth

bench-dma: setup ## Measure what the accelerator's DMA gives of what its memory port can carry (build/results/dma.json)
	@$(PYTHON) -m tests.gateware.ctr.throughput

bench-udp: setup ## Measure records over UDP on the simulated board: goodput, and a record's cycles by stage
	@$(PYTHON) -m gateware.soc sim_eth$(ON_ZEPHYR)
	@CIPHERLANE_SIM_ETH=$(CURDIR)/build/sim_eth$(ON_ZEPHYR) .venv/bin/cipherlane bench --link --port sim+udp --timeout 60 \
		--results build/results/bench-udp$(ON_ZEPHYR).json

stress: setup ## Transfers over long bad wires to the simulated board with Ethernet (root, many minutes)
	@$(PYTHON) -m gateware.soc sim_eth
	@$(PYTHON) -m pytest tests/end_to_end/stress_ethernet.py

fuzz: setup ## Fuzz firmware and host parsers, FUZZ_SECONDS=60 each, then run the host tool against 10,000 hostile boards
	@.ci/setup clang libclang-rt-14-dev
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps -r tests/fuzz/requirements.txt
	@$(PYTHON) -m tests.fuzz --seconds $(FUZZ_SECONDS)
	@$(PYTHON) -m tests.host.hostile_runs --runs 10000

sweep: setup ## Give each command of the fast path at every cycle of a datagram's passage, with several cores (minutes)
	@$(PYTHON) -m tests.gateware.net.sweep

mutants: setup ## Run the tests on copies of the sources with one fault each (hours; goes on where it stopped)
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps -r tests/mutants/requirements.txt
	@$(PYTHON) -m tests.mutants $(MUTANTS)

formal: setup ## Prove S-boxes, MixColumns, instructions and handshake for all inputs (minutes)
	@$(PYTHON) -m pytest tests/formal/prove_*.py

netlist: setup ## Run the test benches of vector unit and accelerator on their netlists for ECP5, with each board's cores (many minutes)
	@$(PYTHON) -m pytest --netlist tests/gateware/isa/test_unit.py \
		tests/gateware/ctr/test_accelerator.py tests/gateware/ctr/test_commands.py tests/gateware/ctr/test_instants.py
	@$(PYTHON) -m pytest --netlist tests/gateware/ctr/test_boards.py

explore: setup ## Place and route the family of AES cores, beside public ones (hours; goes on where it stopped)
	@$(PYTHON) -m gateware.explore.family $(EXPLORE)

explore-isa: setup ## Place and route the vector unit and its parts alone (build/results/explore-isa.json)
	@$(PYTHON) -m gateware.explore.isa

pages: setup ## Write the generated reference pages anew
	@$(PYTHON) -m firmware.codegen pages
	@$(PYTHON) -m cipherlane.protocol.reference

readme: ## Write the README's result tables from build/results
	@.ci/readme

package: ## Build the host tool's wheel and source distribution, and check them as an index does (build/package/dist)
	@.ci/package

clean: ## Remove build/
	rm -rf build
