# An MPI program of its own, for the library of $(MPICC).
TAPECAL := $(call objects,$(wildcard tools/tapecal/*.c))
$(eval $(call module,tools/tapecal,options catalogue levels reader lib/common lib/model tools/tapecal,$(MPICC),$(MPI_FLAGS)))
$(BIN)/tapecal: $(TAPECAL) $(COMMON) $(MODEL) $(READER) $(LEVELS) $(CATALOGUE)
	@mkdir -p $(@D)
	$(MPICC) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(LDFLAGS) $(HWLOC_LIBS) -lm -o $@
all: $(BIN)/tapecal
PROGRAMS += $(BIN)/tapecal
