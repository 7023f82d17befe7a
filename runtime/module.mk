# libtape-mpi and libtape-mpich: the runtime in the traced program, for Open MPI
# and for the family of MPICH; and taperun.
RUNTIME_SRC := $(wildcard runtime/*.c)
RUNTIME_MPI := $(wildcard runtime/mpi/*.c)
RUNTIME_PROGRAMS := $(addprefix runtime/,taperun.c choose.c uses.c)
RUNTIME_CORE := $(filter-out $(RUNTIME_PROGRAMS),$(RUNTIME_SRC)) catalogue/record.c catalogue/error.c
RUNTIME_LIBS := -ldl -lpthread -lm
$(eval $(call module,runtime,catalogue runtime))
# mpi.h is to declare also what was removed from MPI: old programs call it
$(eval $(call module,runtime/mpi,catalogue runtime runtime/mpi,$(MPICC_OPENMPI),-DOMPI_OMIT_MPI1_COMPAT_DECLS=0))

# the same sources, the other headers
RUNTIME_MPICH := $(RUNTIME_MPI:runtime/mpi/%.c=$(B)/obj/runtime/mpich/%.o)
$(B)/obj/runtime/mpich/%.o: runtime/mpi/%.c | catalogue-views
	@mkdir -p $(@D)
	$(MPICC_MPICH) $(CFLAGS) $(ours) -Icatalogue -Iruntime -Iruntime/mpi -I$(GEN) -MMD -MP -c $< -o $@
$(call objects,$(RUNTIME_MPI)) $(RUNTIME_MPICH): $(patsubst %,$(GEN)/tape_%.h,wrap real_fortran wrap_fortran prototypes)

# $(call tracer,NAME,COMPILER,OBJECTS)
define tracer
$(LIB)/$(1).so: $(call objects,$(RUNTIME_CORE)) $(3)
	@mkdir -p $$(@D)
	$(2) -shared $$(CFLAGS) $$^ $$(LDFLAGS) -Wl,-soname,$(1).so -Wl,-z,nodelete $(RUNTIME_LIBS) -o $$@
all: $(LIB)/$(1).so
endef
ifneq ($(HAVE_OPENMPI),)
$(eval $(call tracer,libtape-mpi,$(MPICC_OPENMPI),$(call objects,$(RUNTIME_MPI))))
endif
ifneq ($(HAVE_MPICH),)
$(eval $(call tracer,libtape-mpich,$(MPICC_MPICH),$(RUNTIME_MPICH)))
endif

# libtape-pvm: needs PVM's own libraries, wherever they come in the order
RUNTIME_PVM := $(filter-out runtime/pvm/server.c,$(wildcard runtime/pvm/*.c))
ifneq ($(HAVE_PVM),)
$(eval $(call module,runtime/pvm,catalogue runtime runtime/pvm))
$(call objects,$(RUNTIME_PVM)): $(GEN)/tape_real_pvm.h $(GEN)/tape_wrap_pvm.h
PVM_LIBS := -Wl,--no-as-needed -lgpvm3 -lpvm3
$(LIB)/libtape-pvm.so: $(call objects,$(RUNTIME_CORE) $(RUNTIME_PVM))
	@mkdir -p $(@D)
	$(CC) -shared $(CFLAGS) $^ $(LDFLAGS) -Wl,-soname,libtape-pvm.so -Wl,-z,nodelete $(PVM_LIBS) $(RUNTIME_LIBS) -o $@
# the clock server, which taperun starts: beside the library
PVM_CLOCK := $(LIB)/tape-pvm-clock
$(PVM_CLOCK): $(call objects,runtime/pvm/server.c runtime/clock.c runtime/config.c runtime/filter.c)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $^ $(LDFLAGS) -lpvm3 -o $@
all: $(LIB)/libtape-pvm.so $(PVM_CLOCK)
endif

$(eval $(call program,taperun,$(call objects,$(RUNTIME_PROGRAMS) runtime/config.c runtime/filter.c runtime/clock.c runtime/family.c)))
