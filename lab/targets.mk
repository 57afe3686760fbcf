# SPDX-License-Identifier: BSD-2-Clause
# Targets of the laboratory, which the Makefile includes: comparisons, papers and kept figures.
# Variable: FILE=PATH (reported): a file of `cipherlane bench --report`
# Variable: EXPLORE=OPTIONS (explore explore-fpgas explore-ghash explore-isa explore-lte explore-rgmii explore-sets): as '--datapath 128 --peer usselmann=FOLDER' for explore; explore-fpgas, explore-ghash and explore-lte have --device and --seeds, the others --seeds
# Variable: JOBS=NUMBER (explore): how many tasks at a time; see gateware/flow
# Variable: SCHEDULER=URL (explore): a Dask scheduler, as tcp://host:8786
# Variable: PORT=PORT (bench): measure the board at this port
SYNTHESIS += explore explore-fpgas explore-ghash explore-isa explore-lte explore-rgmii explore-sets
KEPT += bench explore explore-fpgas explore-ghash explore-isa explore-lte explore-rgmii
PAGES += lab.results
SIMULATED += scalar comparators wide_comparators lte

.PHONY: bench bench-papers bench-sets bench-sdram bench-lte explore explore-fpgas explore-ghash explore-isa explore-sets explore-lte explore-rgmii papers readme reported

##@ Compare
bench: sim ## 20 min | Measure every AES of the project and its peers on the simulated board, or the engines of the board at PORT
	@if [ "$(PORT)" = sim ]; then $(PYTHON) -m lab.bench; \
	else .venv/bin/cipherlane bench --port $(PORT) --results build/results/bench.json --force; fi

bench-papers: sim ## 10 min | Measure the styles and instruction sets that the papers compare (build/results/bench-papers.json)
	@$(PYTHON) -m lab.bench.papers

bench-sets: sim ## 10 min | Measure AES instruction sets with 1, 4 and 8 independent blocks a call (build/results/bench-sets.json)
	@$(PYTHON) -m lab.bench.sets

bench-sdram: setup ## 5 min | Measure the engines with their data in SDRAM, on the simulated board (build/results/bench-sdram.json)
	@$(PYTHON) -m gateware.flow sim sdram
	@$(PYTHON) -m lab.bench.sdram

bench-lte: setup ## 20 min | Measure LTE's layer 2 with each engine on the simulated board with SNOW 3G (build/results/bench-lte.json); with a Zephyr tree also in threads (root)
	@$(PYTHON) -m lab.bench_lte
	@$(PYTHON) -m lab.bench_lte.zephyr

explore: setup ## hours | Place and route the family of AES cores, and public cores, three seeds each (resumes where it stopped)
	@$(PYTHON) -m lab.explore.family $(SWEEP) $(EXPLORE)

explore-ghash: setup ## 30 min | Place and route GHASH with a product in 16 cycles to one (build/results/explore-ghash.json)
	@$(PYTHON) -m lab.explore.ghash $(EXPLORE)

explore-fpgas: setup ## hours | Place and route generated cores on Nexus, iCE40 UltraPlus, Gowin and GateMate (build/results/explore-fpgas.json)
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps -r lab/explore/requirements.txt
	@$(PYTHON) -m lab.explore.fpgas $(EXPLORE)

explore-isa: setup ## 40 min | Place and route the vector unit and its parts, each by itself (build/results/explore-isa.json)
	@$(PYTHON) -m lab.explore.isa $(EXPLORE)

explore-sets: setup ## 25 min | Place and route the units of other instruction sets, each by itself (build/results/explore-sets.json)
	@$(PYTHON) -m lab.explore.instruction_sets $(EXPLORE)

explore-lte: setup ## 2 hours | Place and route LTE's SNOW 3G and AES with several S-boxes (build/results/explore-lte.json)
	@$(PYTHON) -m lab.explore.lte $(EXPLORE)

explore-rgmii: setup ## 10 min | Place and route RGMII's PHY with each MAC on the slowest part (build/results/explore-rgmii.json)
	@$(PYTHON) -m lab.explore.rgmii $(EXPLORE)

papers: setup ## 3 s | Compare each value of the papers with ours (build/results/papers.json), one page per paper
	@$(PYTHON) -m lab.results.papers

reported: setup ## 1 s | Check FILE, which a user made with `cipherlane bench --report`, and store it for the table of figures from hardware
	@$(PYTHON) -m lab.results.reported '$(FILE)'

readme: setup ## 10 s | Copy the figures in build/results into results/data, and write all pages and pictures from them
	@$(PYTHON) -m lab.results --take
