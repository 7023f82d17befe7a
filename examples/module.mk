# The examples, untouched by Tape: plain MPI programs. Those that are compiled
# through tapecc come beside them where there is a tapecc.
EXAMPLES := $(patsubst examples/%.c,$(B)/examples/%,$(wildcard examples/*.c))
example_flags := -std=c11 -D_GNU_SOURCE $(warnings) $(MPI_FLAGS)
$(EXAMPLES): $(B)/examples/%: examples/%.c $(wildcard examples/*.h)
	@mkdir -p $(@D)
	$(MPICC) -O2 $(example_flags) $< -lm -o $@

# tapecc calls tapepp, and what that writes includes HEADERS.
$(B)/examples/jacobi-tapecc: examples/jacobi.c examples/plate.h $(BIN)/tapecc $(BIN)/tapepp $(HEADERS) $(LIBTAPE)
	@mkdir -p $(@D)
	TAPE_MPICC='$(MPICC)' $(BIN)/tapecc -O2 $(example_flags) $(LDSAN) $< -lm -o $@

ifneq ($(HAVE_MPI),)
all: $(EXAMPLES)
ifneq ($(wildcard tapepp/tapecc),)
all: $(B)/examples/jacobi-tapecc
endif
endif

# The same with PVM, which share the computation with them.
PVM_FC := $(shell command -v $(if $(filter default,$(origin FC)),gfortran,$(FC)) 2>/dev/null)
PVM_EXAMPLES := $(patsubst examples/%.c,$(B)/examples/%,$(wildcard examples/pvm/*.c))
$(PVM_EXAMPLES): $(B)/examples/%: examples/%.c $(wildcard examples/*.h examples/pvm/*.h)
	@mkdir -p $(@D)
	$(CC) -O2 $(example_flags) $< -lgpvm3 -lpvm3 -lm -o $@

# fpvm3.h has no interfaces: pvmfpack takes an array of any type
$(B)/examples/pvm/jacobi_fortran: examples/pvm/jacobi.f
	@mkdir -p $(@D)
	$(PVM_FC) -O2 -w -fallow-argument-mismatch \
		-J$(@D) -I/usr/include $< -lfpvm3 -lgpvm3 -lpvm3 -o $@

ifneq ($(HAVE_PVM),)
all: $(PVM_EXAMPLES)
ifneq ($(PVM_FC),)
all: $(B)/examples/pvm/jacobi_fortran
endif
endif

# With libtape-hsplit of the same family.
HSPLIT_EXAMPLES := $(patsubst %.c,$(B)/%,$(wildcard examples/hsplit/*.c))
HSPLIT_EXAMPLES_LIB := tape-hsplit$(if $(filter mpich,$(MPICC_FAMILY)),-mpich)
$(HSPLIT_EXAMPLES): $(B)/examples/%: examples/%.c hsplit/tape_hsplit.h | $(LIB)/lib$(HSPLIT_EXAMPLES_LIB).so
	@mkdir -p $(@D)
	$(MPICC) -O2 $(example_flags) $(LDSAN) -Ihsplit $< -L$(LIB) -Wl,-rpath,$(LIB) -l$(HSPLIT_EXAMPLES_LIB) -lm -o $@
ifneq ($(filter openmpi mpich,$(MPICC_FAMILY)),)
all: $(HSPLIT_EXAMPLES)
endif

# With libtape-stream of the same family.
STREAM_EXAMPLES := $(patsubst %.c,$(B)/%,$(wildcard examples/stream/*.c))
STREAM_EXAMPLES_LIB := tape-stream$(if $(filter mpich,$(MPICC_FAMILY)),-mpich)
$(STREAM_EXAMPLES): $(B)/examples/%: examples/%.c stream/tape_stream.h | $(LIB)/lib$(STREAM_EXAMPLES_LIB).so
	@mkdir -p $(@D)
	$(MPICC) -O2 $(example_flags) $(LDSAN) -Istream $< -L$(LIB) -Wl,-rpath,$(LIB) -l$(STREAM_EXAMPLES_LIB) -o $@
ifneq ($(filter openmpi mpich,$(MPICC_FAMILY)),)
all: $(STREAM_EXAMPLES)
endif
