# Programs that the benchmarks run, and the benchmarks. Included only where
# there is an MPI.
bench_flags := -std=c11 -D_GNU_SOURCE $(warnings) $(MPI_FLAGS)

# read, span and borders read traces; calls, stamps and exchanges are plain MPI
# programs.
$(eval $(call module,bench,catalogue reader))
$(B)/bench/read $(B)/bench/span $(B)/bench/borders: $(B)/bench/%: $(B)/obj/bench/%.o $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(LDFLAGS) -lm -o $@

$(B)/bench/calls: bench/loops.h
$(B)/bench/segments: bench/kernels.h
$(B)/bench/calls $(B)/bench/stamps $(B)/bench/exchanges: $(B)/bench/%: bench/%.c
	@mkdir -p $(@D)
	$(MPICC) -O2 $(bench_flags) $< -o $@

$(B)/bench/many: bench/many.c
	@mkdir -p $(@D)
	$(MPICC) -O2 -pthread $(bench_flags) $< -o $@

# Programs with a region around every N steps of their inner loop: intrusion from
# small to large. They are not linked with the library: without it there are no
# marks.
PROBE_STEPS := 8 16 64 512
PROBED := jacobi fft2d cg
PROBES := $(foreach p,$(PROBED),$(PROBE_STEPS:%=$(B)/bench/$(p)-%))
define probes
$(PROBE_STEPS:%=$(B)/bench/$(1)-%): $(B)/bench/$(1)-%: $(2) $(wildcard examples/*.h) runtime/tape.h
	@mkdir -p $$(@D)
	$(MPICC) -O2 $(bench_flags) -Iruntime -DINNER_PROBE=$$* -Wl,-z,dynamic-undefined-weak $$< -lm -o $$@
endef
$(foreach p,$(PROBED),$(eval $(call probes,$(p),$(firstword $(wildcard bench/$(p).c examples/$(p).c)))))

# with PVM, tasks that spawn each other by their path
PVM_PROBES := $(PROBE_STEPS:%=$(B)/bench/pvm/jacobi-%)
$(PVM_PROBES): $(B)/bench/pvm/jacobi-%: examples/pvm/jacobi.c $(wildcard examples/*.h examples/pvm/*.h) runtime/tape.h
	@mkdir -p $(@D)
	$(CC) -O2 $(bench_flags) -Iruntime -DINNER_PROBE=$* -Wl,-z,dynamic-undefined-weak $< -lgpvm3 -lpvm3 -lm -o $@

$(B)/bench/wall.so: bench/wall.c
	@mkdir -p $(@D)
	$(MPICC) -O2 -fPIC -shared $(bench_flags) $< -o $@

$(B)/bench/marks $(B)/bench/segments: $(B)/bench/%: bench/%.c runtime/tape.h
	@mkdir -p $(@D)
	$(MPICC) -O2 $(bench_flags) -Iruntime -Wl,-z,dynamic-undefined-weak $< -lm -o $@

$(B)/bench/cg $(B)/bench/early: $(B)/bench/%: bench/%.c
	@mkdir -p $(@D)
	$(MPICC) -O2 $(bench_flags) $< -lm -o $@

# files of a trace in several layouts: no part of Tape in it
$(B)/bench/files: bench/files.c
	@mkdir -p $(@D)
	$(CC) -O2 $(bench_flags) $< -o $@

# also compiled for SimGrid, by bench/hierarchy itself
$(B)/bench/hierarchy: bench/hierarchy.c bench/hierarchy_algorithms.c bench/hierarchy.h hsplit/tape_hsplit.h $(LIB)/libtape-hsplit.so
	@mkdir -p $(@D)
	$(MPICC_OPENMPI) -O2 $(bench_flags) -Ihsplit $(filter %.c,$^) -L$(LIB) -Wl,-rpath,$(LIB) -ltape-hsplit $(LDSAN) -o $@

# what tapesim's own engine does in a second, from memory
$(B)/obj/bench/actions.o: ours += $(call include_flags,lib/common lib/model) -Ilib/actions -Ilib/predict
$(B)/bench/actions: $(B)/obj/bench/actions.o $(PREDICT) $(ACTIONS) $(COMMON) $(MODEL) $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(SITES_LIBS) -lgsl -lgslcblas -lm -o $@

# traces of any size, for the cost of tools
$(B)/obj/bench/made.o: ours += -Ilib/common
$(B)/bench/made: $(B)/obj/bench/made.o $(COMMON) $(MODEL) $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(SITES_LIBS) -lm -o $@

# pvm_calls is a plain PVM program; its calls return into the loop that makes them.
$(B)/bench/pvm_calls: bench/pvm_calls.c bench/loops.h
	@mkdir -p $(@D)
	$(CC) -O2 -fno-optimize-sibling-calls $(bench_flags) $< -lpvm3 -o $@

# bench/streaming: messages as fast as they go
$(B)/bench/streamed: tests/e2e/streamed.c runtime/tape.h
	@mkdir -p $(@D)
	$(MPICC) -O2 $(bench_flags) -Iruntime -Wl,-z,dynamic-undefined-weak $< -o $@

# bench/streams: blocks by MPI_Send and by streams
$(B)/bench/ends: bench/ends.c stream/tape_stream.h $(LIB)/libtape-stream.so
	@mkdir -p $(@D)
	$(MPICC_OPENMPI) -O2 $(bench_flags) -Istream $< -L$(LIB) -Wl,-rpath,$(LIB) -ltape-stream $(LDSAN) -o $@

bench-programs: $(B)/bench/streamed $(if $(HAVE_PVM),$(B)/bench/pvm_calls $(PVM_PROBES)) $(B)/bench/read $(B)/bench/span $(B)/bench/borders $(B)/bench/actions $(B)/bench/made $(B)/bench/files $(B)/bench/calls $(B)/bench/stamps $(B)/bench/exchanges $(B)/bench/early $(B)/bench/many $(if $(HAVE_OPENMPI),$(B)/bench/hierarchy $(B)/bench/ends) $(B)/bench/cg $(B)/bench/marks $(B)/bench/segments $(B)/bench/wall.so $(PROBES)
all: bench-programs

# the rig of recorded rounds, and the simulated part of bench/sampling where
# there is a SimGrid
benches: $(B)/rig/stamps $(if $(SMPICC),$(B)/rig/sampling)

BENCHES := cost many alpha bytes intrusion segments throughput clocks sampling accuracy uses fits unexpected messages predict hierarchy acquire streaming parallel streams files $(if $(HAVE_PVM),pvm_cost)
benches:
	@for b in $(BENCHES); do bench/$$b $(B) || exit 1; done

.PHONY: bench-programs benches
