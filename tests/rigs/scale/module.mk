# The sampling of clocks under SimGrid's MPI, simulated: its own compiler.
SMPICC := $(shell command -v smpicc 2>/dev/null)
ifneq ($(SMPICC),)
$(B)/rig/sampling: tests/rigs/scale/sampling.c runtime/mpi/sample.c runtime/mpi/sampling_tree.c catalogue/position.c runtime/core/file.c runtime/core/ticks.c $(wildcard runtime/*/*.h) | catalogue-views
	@mkdir -p $(@D)
	$(SMPICC) -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra $(call include_flags,catalogue $(RUNTIME_FOLDERS) runtime/mpi $(GEN)) $(filter %.c,$^) -o $@
tests: $(B)/rig/sampling
endif
