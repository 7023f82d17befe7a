# libtape-mpi: the runtime in the traced program, and taperun.
RUNTIME_SRC := $(wildcard runtime/*.c)
RUNTIME_MPI := $(wildcard runtime/mpi/*.c)
RUNTIME_PROGRAMS := runtime/taperun.c
$(eval $(call module,runtime,catalogue runtime))
# mpi.h is to declare also what was removed from MPI: old programs call it
$(eval $(call module,runtime/mpi,catalogue runtime runtime/mpi,$(MPICC),-DOMPI_OMIT_MPI1_COMPAT_DECLS=0))
$(call objects,$(RUNTIME_MPI)): $(patsubst %,$(GEN)/tape_%.h,wrap real_fortran wrap_fortran prototypes)

LIBTAPE := $(LIB)/libtape-mpi.so
$(LIBTAPE): $(call objects,$(filter-out $(RUNTIME_PROGRAMS),$(RUNTIME_SRC)) $(RUNTIME_MPI) catalogue/record.c catalogue/error.c)
	@mkdir -p $(@D)
	$(MPICC) -shared $(CFLAGS) $^ $(LDFLAGS) -Wl,-soname,libtape-mpi.so -Wl,-z,nodelete -ldl -lpthread -o $@
all: $(LIBTAPE)

$(eval $(call program,taperun,$(call objects,runtime/taperun.c runtime/config.c runtime/filter.c runtime/clock.c)))
