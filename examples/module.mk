# The examples, untouched by Tape: plain MPI programs. Those that are compiled
# through tapecc come beside them where there is a tapecc.
EXAMPLES := $(patsubst examples/%.c,$(B)/examples/%,$(wildcard examples/*.c))
example_flags := -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wconversion -Werror $(MPI_FLAGS)
$(EXAMPLES): $(B)/examples/%: examples/%.c
	@mkdir -p $(@D)
	$(MPICC) -O2 $(example_flags) $< -lm -o $@

# tapecc calls tapepp, and what that writes includes HEADERS.
$(B)/examples/jacobi-tapecc: examples/jacobi.c $(BIN)/tapecc $(BIN)/tapepp $(HEADERS) $(LIBTAPE)
	@mkdir -p $(@D)
	TAPE_MPICC='$(MPICC)' $(BIN)/tapecc -O2 $(example_flags) $(LDSAN) $< -lm -o $@

ifneq ($(HAVE_MPI),)
all: $(EXAMPLES)
ifneq ($(wildcard tapepp/tapecc),)
all: $(B)/examples/jacobi-tapecc
endif
endif
