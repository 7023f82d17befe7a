# An MPI program of its own, for the library of $(MPICC).
TAPECAL := $(call objects,$(wildcard tools/tapecal/*.c))
$(eval $(call module,tools/tapecal,catalogue reader tools/common tools/model tools/tapecal,$(MPICC),$(MPI_FLAGS)))
$(BIN)/tapecal: $(TAPECAL) $(COMMON) $(MODEL) $(CATALOGUE)
	@mkdir -p $(@D)
	$(MPICC) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(LDFLAGS) -lm -o $@
all: $(BIN)/tapecal
PROGRAMS += $(BIN)/tapecal
