# SPDX-License-Identifier: BSD-2-Clause
# Cipherlane: the one entry point. `make help` lists the targets.

.DEFAULT_GOAL := help
# The variables, with their values and the targets that use them. `.ci/words` reads these lines.
# Variable: BOARD=BOARD (bitstream firmware flash flash-spi hil netlist timing zephyr): by default ecpix5; `make boards` describes them
# Variable: CONFIG=CONFIG (bench-udp bitstream firmware flash flash-spi hil netlist sim timing zephyr): by default default; features joined by +, as eth+sdram (`make boards`)
# Variable: CONFIG=SIMULATED (demo): a configuration of the simulated board; with sdram, its DDR3 holds the data
# Variable: FIRMWARE=baremetal|zephyr (bench-udp bitstream demo firmware flash flash-spi hil netlist sim timing zephyr): by default baremetal
# Variable: TRANSPORT=uart|udp (bitstream demo firmware flash flash-spi hil live netlist sim timing zephyr): by default uart; udp adds Ethernet
# Variable: PORT=PORT (demo flash flash-spi hil live sim): sim, sim+udp, udp://HOST or /dev/ttyUSB0; flash and hil take no sim
# Variable: KEY_BITS=128|192|256|all (demo): by default 128
# Variable: FILE=PATH (demo): the file to encrypt
# Variable: FILE=PATH (core): a YAML file of cores and their options
# Variable: CORE=NAME (core): the kind of core; without it, core lists all kinds and options
# Variable: OPTIONS=OPTIONS (core): as 'datapath=32 bus=axi-stream'
# Variable: REVISION=NAME (flash flash-spi hil): the board's revision, if the attached cable does not tell it; see `make boards`
# Variable: DRY_RUN=1 (flash flash-spi udev): only print the command, or the rules
# Variable: TRACE=1 (sim): with waveforms, in build/sim_trace; see gateware/ARCHITECTURE.md
# Variable: COORDINATOR=HOST:PORT (hil): the coordinator of labgrid; tests/hil describes the variables of hil
# Variable: PLACE=NAME (hil): the place of labgrid
# Variable: WAIT=NUMBER (hil): seconds to wait for the place
# Variable: SELECT=WORDS (hil): the tests to run, as pytest's -k
# Variable: SOAK=NUMBER (hil): seconds of the long test
# Variable: HIL_ENV=PATH (hil): an environment file of labgrid
# Variable: ACCEPT=NAMES (hil): figures to accept as the board's usual ones
# Variable: SEEDS=NUMBER (timing): by default 8
# Variable: DATABASE=LFE5UM5G|LFE5U (timing): by default both
# Variable: JOBS=NUMBER (mutants timing worker): how many tasks at a time; see gateware/flow
# Variable: SCHEDULER=URL (mutants timing worker): a Dask scheduler, as tcp://host:8786
# Variable: LIVE=goodput|pace|start|soak (bench-live): by default goodput; see tests
# Variable: FUZZ_SECONDS=NUMBER (fuzz): by default 60
# Variable: MUTANTS=OPTIONS (mutants): as '--count 300 --seed 1 --part host', or --guards for those of SECURITY's promises
# Variable: BITSTREAMS=TARGETS (release): as 'ecpix5 orangecrab_85f'; by default all of `make boards`
# Variable: SIGN=PATH (release): a secret key of minisign
# Variable: SUITES=FOLDERS (zephyr-twister): folders of the Zephyr tree, as tests/kernel/common
# Variable: ZEPHYR_BASE=PATH (bench-lte bench-udp bitstream demo firmware sim test test-all zephyr zephyr-setup zephyr-twister): a Zephyr tree; see firmware/zephyr
SYNTHESIS := bitstream firmware formal mutants netlist netlist-units release test test-all timing worker
# Folders of build that make clean keeps: results, a downloaded tree, and long runs that can resume.
KEPT := cache mapped mutants release results timing zephyr
# Programs that write generated files.
PAGES := gateware.codegen.wire gateware.codegen gateware.flow.devicetrees gateware.flow.cable_table cipherlane_base.wire.reference
# Configurations of the simulated board.
SIMULATED := default eth macsec macsec_required gcm sdram loader zephyr eth_zephyr sdram_zephyr
# A folder may add targets, and add to these lists.
include $(wildcard */targets.mk)
VARIABLES := $(sort $(shell sed -n 's/^# Variable: \([A-Z_]*\)=.*/\1/p' $(MAKEFILE_LIST) 2>/dev/null))
GIVEN := $(foreach name,$(.VARIABLES),$(if $(filter command%,$(origin $(name))),$(name)))
UNKNOWN := $(strip $(filter-out $(VARIABLES),$(GIVEN)))
$(if $(UNKNOWN),$(error $(or $(shell python3 .ci/words unknown variable '$(UNKNOWN)' 2>/dev/null),unknown variable $(UNKNOWN))))
TARGETS = $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' $(MAKEFILE_LIST))
MISTYPED := $(if $(MAKECMDGOALS),$(filter-out $(TARGETS),$(MAKECMDGOALS)))
$(if $(MISTYPED),$(error $(or $(shell python3 .ci/words unknown target '$(MISTYPED)' 2>/dev/null),unknown target $(MISTYPED))))
# A wrong value, or a variable that the targets do not use, ends here, before anything is installed.
IN_ENVIRONMENT := $(foreach name,$(VARIABLES),$(if $(filter environment,$(origin $(name))),$(name)))
QUOTED = '$1=$(subst ','\'',$($1))'
WRONG := $(if $(and $(MAKECMDGOALS),$(GIVEN)$(IN_ENVIRONMENT)),$(shell python3 .ci/words check '$(MAKECMDGOALS)' \
	$(foreach name,$(GIVEN),$(call QUOTED,$(name))) -- $(foreach name,$(IN_ENVIRONMENT),$(call QUOTED,$(name))) 2>/dev/null))
$(if $(WRONG),$(error $(WRONG)))
# A machine may get Python only from the set-up. Until then, make checks the values of which there is a list, for each target.
DECLARED = $(shell sed -nE 's/^\# Variable: $1=([^ ]*) \((.* )?$2( .*)?\): .*/\1/p' $(MAKEFILE_LIST))
BOARDS = $(patsubst gateware/boards/%.py,%,$(shell grep -l '^BOARD = ' gateware/boards/*.py))
LISTED = $(foreach values,$(DECLARED),$(if $(filter BOARD,$(values)),$(BOARDS),$(if $(findstring |,$(values))$(filter 1,$(values)),$(subst |, ,$(values)))))
REFUSED = $(if $(LISTED),$(if $(or $(word 2,$($1)),$(filter-out $(LISTED),$($1))),$(error $1=$($1): choose one of $(LISTED))))
$(if $(shell command -v python3 2>/dev/null),,$(foreach goal,$(MAKECMDGOALS),$(foreach name,$(GIVEN) $(IN_ENVIRONMENT),$(call REFUSED,$(name),$(goal)))))
$(if $(word 2,$(CURDIR)),$(error the simulators' makefiles do not support a path with a space: move this checkout: $(CURDIR)))
$(if $(findstring :,$(CURDIR)),$(error a Python environment does not support a path with a colon: move this checkout: $(CURDIR)))
# Targets that run Yosys or nextpnr in folders of this checkout. YoWASP's programs have a /tmp of their own. With -n, make
# runs nothing, so the check is skipped.
$(if $(filter /tmp/%,$(CURDIR)),$(if $(findstring n,$(firstword -$(MAKEFLAGS))),,$(if $(filter $(SYNTHESIS),$(MAKECMDGOALS)),$(error Yosys and nextpnr of YoWASP see no files in /tmp: move this checkout: $(CURDIR)))))

BOARD    ?= ecpix5
KEY_BITS ?= 128
FUZZ_SECONDS ?= 60
LIVE     ?= goodput
SEEDS    ?= 8
TRANSPORT ?= uart
PORT     ?= $(if $(filter udp,$(TRANSPORT)),sim+udp,sim)
FIRMWARE ?= baremetal
PYTHON   := .venv/bin/python
export PATH := $(CURDIR)/.venv/bin:$(PATH)

$(if $(and $(filter CONFIG,$(GIVEN)),$(filter FIRMWARE TRANSPORT,$(GIVEN))),$(error CONFIG=$(CONFIG) includes FIRMWARE and TRANSPORT: leave them out))
ON_ZEPHYR = $(if $(filter zephyr,$(FIRMWARE)),_zephyr)
SWEEP = $(if $(SCHEDULER),--scheduler '$(SCHEDULER)') $(if $(JOBS),--jobs '$(JOBS)')
FLASH = $(PYTHON) -m gateware.flow $(BOARD) $(CONFIG) $(if $(DRY_RUN),--dry-run)$(if $(REVISION), --revision '$(REVISION)') --flash
ANSWER = $(if $(filter PORT,$(GIVEN)), --port '$(PORT)')
HIL = $(if $(COORDINATOR),--coordinator '$(COORDINATOR)') $(if $(PLACE),--place '$(PLACE)') $(if $(WAIT),--wait '$(WAIT)') \
	$(if $(SELECT),--select '$(SELECT)') $(if $(SOAK),--soak '$(SOAK)') $(if $(HIL_ENV),--environment '$(HIL_ENV)') $(if $(ACCEPT),--accept '$(ACCEPT)')
# One process for each core, with whole files, whose tests share models.
PARALLEL := -n logical --dist loadfile
HIL_TESTS = .ci/setup-hil && .venv-hil/bin/python -m pytest --confcutdir=tests/hil tests/hil
OVER_UDP := $(filter sim+udp,$(PORT))
CONFIG   ?= $(or $(patsubst _%,%,$(if $(OVER_UDP),_eth)$(ON_ZEPHYR)),default)

.PHONY: completion help setup demo live sim zephyr zephyr-setup zephyr-twister boards bitstream firmware flash flash-spi udev core cores-all hil test test-all lint fuzz linux-peer edits stress sweep forgeries netlist netlist-units formal mutants timing bench-dma bench-eth bench-udp bench-host bench-live bench-sim-speed worker format pages docs screenshots report package release clean distclean

##@ See it work
help: ## 0 s | List the targets
	@awk -F ':.*## | [|] ' '/^##@ /{printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## /{printf "  make %-14s %-16s %s\n", $$1, $$2, $$3}' $(MAKEFILE_LIST)
	@echo
	@echo "Variables, as NAME=VALUE after the target"
	@python3 .ci/words help
	@echo
	@echo 'Times are for 2 cores. eval "$$(make -s completion)" completes targets and variables in bash.'

completion: ## 0 s | Print a bash function that completes targets, variables and values: eval "$$(make -s completion)"
	@python3 .ci/words completion

demo: ## 1 min, then 15 s | Stream a file through every engine of the simulated board, or of the board at PORT; check every byte
	@FIRMWARE=$(FIRMWARE) TRANSPORT=$(TRANSPORT) PORT='$(PORT)' KEY_BITS='$(KEY_BITS)' CONFIG='$(if $(filter file,$(origin CONFIG)),,$(CONFIG))' SIMULATED='$(SIMULATED)' .ci/demo

live: ## 4 min, then 5 s | Show a picture passing through the simulated board, or the board at PORT, in a browser, until Ctrl-C
	@PORT='$(if $(filter file,$(origin PORT)),$(filter-out sim,$(PORT)),$(PORT))' .ci/live

setup: ## minutes, then 0 | Install missing Debian packages and the Python environment .venv
	@.ci/setup

##@ Build
sim: setup ## 1 min, then 1 s | Build the simulated board (build/sim; with TRANSPORT=udp and FIRMWARE=zephyr build/sim_eth_zephyr)
	@$(PYTHON) -m gateware.flow sim $(CONFIG) $(if $(TRACE),--trace)

zephyr: override FIRMWARE = zephyr
zephyr: setup ## minutes | Build the firmware on Zephyr for BOARD=sim, with that board, or ecpix5; TRANSPORT=udp adds Ethernet, CONFIG=sdram_zephyr SDRAM
	$(if $(filter zephyr,$(subst _, ,$(subst +, ,$(CONFIG)))),,$(error CONFIG=$(CONFIG): choose zephyr, eth_zephyr or sdram_zephyr))
	@$(PYTHON) -m gateware.flow $(BOARD) $(CONFIG) $(if $(filter sim%,$(BOARD)),,--image)

zephyr-setup: setup ## minutes | Install the packages for Zephyr's build and, without ZEPHYR_BASE, a Zephyr tree (build/zephyr)
	@firmware/zephyr/setup

boards: setup ## 2 s | List the boards: part, memories, declared and reached clock, configurations that fit or not and why, revisions and cables
	@$(PYTHON) -m gateware.flow.listing

bitstream: setup ## 20 min | Build the bitstream for BOARD with CONFIG, including firmware (build/<board>_<config>)
	@$(PYTHON) -m gateware.flow $(BOARD) $(CONFIG)

firmware: setup ## 1 min | Put new firmware into BOARD's existing bitstream of CONFIG without place-and-route; for CONFIG=loader also into an image
	@$(PYTHON) -m gateware.flow $(BOARD) $(CONFIG) --firmware

flash: setup ## 10 s | Load the bitstream into the attached BOARD's FPGA until power-off; with PORT also wait for the board, compare its build id
	@$(FLASH) sram$(ANSWER)

flash-spi: setup ## minutes | Write the bitstream into the attached BOARD's SPI flash; with PORT also wait for the board, compare its build id
	@$(FLASH) spi$(ANSWER)

udev: setup ## 1 s | Let users of the group plugdev open the boards' JTAG cables (root; DRY_RUN=1 prints the rules)
	@$(PYTHON) -m gateware.flow.udev $(if $(DRY_RUN),--dry-run)

core: setup ## 2 s | Make CORE with OPTIONS, or the cores in FILE, as plain Verilog with page and test benches (build/cores)
	@$(PYTHON) -m gateware.cores $(CORE) $(OPTIONS) $(if $(FILE),file='$(FILE)')

cores-all: setup ## 1 hour | Make every member of each kind of core; run its lint and test benches in Icarus, Verilator and cocotb
	@.ci/setup iverilog
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps -r tests/gateware/cores/requirements.txt
	@$(PYTHON) -m tests.gateware.cores.matrix

hil: setup ## minutes | Test BOARD with CONFIG through labgrid, attached or at COORDINATOR; BOARD=sim is the simulated board
	@.ci/setup-hil
	@$(if $(and $(filter sim,$(BOARD)),$(if $(COORDINATOR)$(ACCEPT),,1)),$(PYTHON) -m gateware.flow sim $(CONFIG))
	@$(if $(HIL_ENV)$(ACCEPT),,$(PYTHON) -m gateware.flow.environment $(BOARD) $(CONFIG)$(ANSWER) $(if $(COORDINATOR),--remote)$(if $(REVISION), --revision '$(REVISION)'))
	@.venv-hil/bin/python -m tests.hil $(BOARD) $(CONFIG) $(HIL)

##@ Check
test: setup lint sim ## 28 min | Lint, then the tests that find most faults (no board needed)
	@.ci/setup chromium linux-peer
	@$(PYTHON) -m gateware.flow sim eth
	@$(PYTHON) -m gateware.flow sim macsec
	@$(PYTHON) -m pytest $(PARALLEL) -m 'not thorough'
	@$(HIL_TESTS) -m 'not thorough'

test-all: setup lint sim ## 30 min or more | Lint, then all tests, as in the nightly run
	@.ci/setup chromium linux-peer
	@$(PYTHON) -m gateware.flow sim eth
	@$(PYTHON) -m gateware.flow sim macsec
	@$(PYTHON) -m pytest $(PARALLEL)
	@$(HIL_TESTS)

lint: setup ## 1 min | ruff, clang-format, cppcheck, Verilator lint, generated pages
	@.ci/lint

zephyr-twister: setup ## minutes | Run the Zephyr module's test suites and samples, or SUITES, by Zephyr's own test runner, on the simulated boards
	@$(PYTHON) -m gateware.flow.twister $(SUITES)

fuzz: setup sim ## 20 min | Fuzz firmware and host parsers, FUZZ_SECONDS=60 each; run the host tool against 10,000 hostile boards, in 10,000 hostile environments; kill it 100 times
	@.ci/setup clang libclang-rt-14-dev
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps -r tests/fuzz/requirements.txt
	@$(PYTHON) -m tests.fuzz --seconds $(FUZZ_SECONDS)
	@$(PYTHON) -m tests.host.hostile_runs --runs 10000
	@$(PYTHON) -m tests.host.hostile_environments --runs 10000
	@$(PYTHON) -m tests.end_to_end.killed_runs --runs 100

edits: setup ## 10 min | Let decrypt read 10,000 authenticated files that were changed at random; it must refuse each
	@$(PYTHON) -m tests.host.edits --edits 10000

linux-peer: setup ## 5 min | Protect the simulated board's Ethernet by MACsec with a real Linux (user-mode) as peer; print what passed (root)
	@.ci/setup linux-peer
	@$(PYTHON) -m gateware.flow sim macsec
	@$(PYTHON) -m pytest -v tests/end_to_end/test_linux_peer.py

stress: setup ## 10 min | Test long transfers over bad wires to the simulated board with Ethernet (root)
	@$(PYTHON) -m gateware.flow sim eth
	@$(PYTHON) -m pytest tests/end_to_end/stress_ethernet.py

sweep: setup ## 10 min | Give each fast path command at every cycle of a datagram's passage, with several cores
	@$(PYTHON) -m tests.gateware.net.sweep

forgeries: setup ## 1 hour | In simulation: 100,000 forged GCM messages for the accelerator; 100,000 forged and 10,000 repeated MACsec frames for the SecY
	@$(PYTHON) -m tests.gateware.dma.forgeries
	@$(PYTHON) -m tests.gateware.net.macsec.forgeries

netlist: setup ## 30 min | Simulate BOARD's synthesised and routed netlists, talk to them, compare cycles with the simulated board
	@$(PYTHON) -m gateware.flow.netlist_check $(BOARD) $(CONFIG)

netlist-units: setup ## 30 min | Run the test benches of vector unit and accelerator on their ECP5 netlists, with each board's cores
	@$(PYTHON) -m pytest --netlist tests/gateware/isa/test_vector_unit.py \
		tests/gateware/dma/test_accelerator.py tests/gateware/dma/test_commands.py tests/gateware/dma/test_instants.py
	@$(PYTHON) -m pytest --netlist tests/gateware/dma/test_boards.py

formal: setup ## 15 min | Prove S-boxes, MixColumns, instructions and handshake for all inputs
	@$(PYTHON) -m pytest tests/formal/prove_*.py

mutants: setup ## hours | Run the tests on copies of the sources with one fault each (resumes where it stopped)
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps -r tests/mutants/requirements.txt
	@$(PYTHON) -m tests.mutants $(SWEEP) $(MUTANTS)

##@ Measure
bench-dma: setup ## 5 min | Measure which share of its memory port's throughput the accelerator's DMA reaches (build/results/dma.json)
	@$(PYTHON) -m tests.gateware.dma.throughput

bench-eth: setup ## 8 min | Measure the UDP fast path at 1 Gb/s in simulated time, also through MACsec, every byte checked (build/results/bench-eth.json)
	@$(PYTHON) -m tests.bench_eth

bench-udp: setup ## 2 min | Measure records over UDP on the simulated board: goodput, and a record's cycles by stage
	@$(PYTHON) -m gateware.flow sim eth$(ON_ZEPHYR)
	@CIPHERLANE_SIM_ETH=$(CURDIR)/build/sim_eth$(ON_ZEPHYR) .venv/bin/cipherlane bench --link --port sim+udp --timeout 60 \
		--results build/results/bench-udp$(ON_ZEPHYR).json --force

bench-host: setup ## 1 min | Measure the host tool's throughput on one core with the null board, compared with a plain echo
	@$(PYTHON) -m tests.bench_host

bench-live: setup ## 3 min | Measure how much goodput a viewer of the live view costs, on the null board; LIVE=pace|start|soak measures other things
	@$(if $(filter pace,$(LIVE)),$(PYTHON) -m gateware.flow sim eth)
	@$(if $(filter soak,$(LIVE)),.ci/setup chromium)
	@$(PYTHON) -m tests.bench_live $(LIVE)

bench-sim-speed: setup ## 5 min | Measure how fast the simulated board runs, compared with one built by LiteX's script
	@$(PYTHON) -m tests.bench_sim_speed

timing: setup ## hours | Place and route BOARD with CONFIG with SEEDS=8 seeds: clocks and slowest paths (resumes where it stopped)
	@$(PYTHON) -m gateware.flow.timing $(BOARD) $(CONFIG) --seeds '$(SEEDS)' $(if $(DATABASE),--database '$(DATABASE)') $(SWEEP)

worker: setup ## hours | Run tasks of timing, explore and mutants for the Dask scheduler at SCHEDULER, JOBS at a time
	@$(PYTHON) -m gateware.flow.sweep $(SWEEP)

##@ Write
format: setup ## 3 s | Rewrite Python and C sources in the project's format
	@.venv/bin/ruff check --fix --quiet . ; .venv/bin/ruff format --quiet .
	@.ci/c-sources | xargs -0 clang-format --style=file:firmware/.clang-format -i

pages: setup ## 10 s | Write all generated files: registers, instructions, records and their codes, figures, pictures
	@set -e; for each in $(PAGES); do $(PYTHON) -m $$each; done

report: setup ## 1 s | Make one HTML page of all figures in build/results and results/data (build/report.html)
	@mkdir -p build
	@.venv/bin/cipherlane report --force --out build/report.html $(wildcard build/results */results/data)

docs: setup ## 1 min | Build the site: all pages, a search, the Python and C interfaces (build/docs/docs/index.html)
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps -r docs/requirements.txt
	@.venv/bin/sphinx-build -q -W --keep-going -c docs -b html . build/docs
	@echo "site: build/docs/docs/index.html"

screenshots: setup ## 1 min | Take pictures of the live view on the simulated board with Ethernet (docs/pictures; root)
	@.ci/setup chromium
	@$(PYTHON) -m gateware.flow sim eth
	@$(PYTHON) -m tests.screenshots

package: setup ## 1 min | Build wheels and source distributions of host tool and gateware, and run a package index's checks (build/package/dist)
	@.ci/package

release: setup ## hours | Collect a release: all bitstreams that meet their clocks, or BITSTREAMS, cores, wheels, pages, checksums (build/release)
	@$(if $(SIGN),.ci/setup minisign)
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps -r docs/requirements.txt
	@$(PYTHON) -m gateware.flow.release $(BITSTREAMS) $(if $(SIGN),--sign '$(SIGN)')

##@ Remove
clean: ## 0 s | Remove everything that is rebuilt in minutes; keep results and runs that can resume
	@if [ -d build ]; then find build -mindepth 1 -maxdepth 1 $(KEPT:%=! -name %) -exec rm -rf {} +; fi

distclean: ## 0 s | Remove everything that was made, including the Python environment
	rm -rf build .venv .venv-hil host/build *.egg-info host/*.egg-info
