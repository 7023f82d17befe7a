# libtape-mpi and libtape-mpich: the runtime in the traced program, for Open MPI
# and for the family of MPICH; and taperun.
# The layers, lowest first: each includes from those before it.
RUNTIME_LAYERS := core transport records limits events process
RUNTIME_FOLDERS := runtime runtime/arch $(RUNTIME_LAYERS:%=runtime/%)
RUNTIME_SRC := $(wildcard $(RUNTIME_LAYERS:%=runtime/%/*.c) runtime/arch/*/*.c)
RUNTIME_MPI := $(wildcard runtime/mpi/*.c)
# record and replay: what both libraries share
RUNTIME_ORDER := $(wildcard runtime/order/*.c) catalogue/order_file.c
RUNTIME_PROGRAMS := $(wildcard runtime/taperun/*.c)
RUNTIME_CORE := $(RUNTIME_SRC) catalogue/record.c catalogue/error.c catalogue/position.c catalogue/equal_texts.c $(RUNTIME_ORDER)
# switches above hosts; what is inside of them only where MPI needs hwloc, too
RUNTIME_LEVELS := $(filter-out levels/hardware.c,$(wildcard levels/*.c))
# between the program and the C library: not in an archive
RUNTIME_BETWEEN := $(addprefix runtime/process/,dlsym.c dlclose.c longjmp_hooks.c signals.c thread_calls.c) \
	$(wildcard $(addprefix runtime/arch/*/,dlsym_entry.c longjmp_entries.c))
RUNTIME_LIBS := -ldl -lpthread -lm
# what runs on the program's stacks, which may be small (runtime/core/own_stack.h)
ifndef SAN
RUNTIME_FRAMES := -Wframe-larger-than=640
endif
# programs; and, below, the wrappers themselves, one frame each around a call
$(call objects,$(RUNTIME_PROGRAMS) runtime/pvm/clock_server.c): RUNTIME_FRAMES :=
# of what is generated debuggers get lines, not variables: that costs a fifth
WRAPPERS := $(foreach f,mpi mpich,$(addprefix $(B)/obj/runtime/$(f)/,wrap.o wrap_rare.o fortran_wrap.o fortran_rare.o)) \
	$(B)/obj/runtime/pvm/wrap.o $(B)/obj/runtime/pvm_linked/wrap.o
$(WRAPPERS) $(patsubst %,$(B)/obj/runtime/%/order_fortran.o,mpi mpich): private RUNTIME_FRAMES :=
$(WRAPPERS): private CFLAGS := $(patsubst -g,-g1,$(CFLAGS))
# those of rare calls cost the compiler half as much so; their arguments are
# cleared by stores, for the one instruction that does it takes 30 ns to begin
CLEARING := -mmemset-strategy=unrolled_loop:512:noalign,libcall:-1:noalign
CLEARING := $(shell $(CC) $(CLEARING) -E -x c /dev/null >/dev/null 2>&1 && echo '$(CLEARING)')
$(filter %_rare.o,$(WRAPPERS)): private CFLAGS := $(patsubst -g,-g1,$(patsubst -O2,-O1,$(CFLAGS))) $(CLEARING)
$(eval $(call module,runtime/arch,catalogue runtime runtime/arch runtime/core,,$$(RUNTIME_FRAMES)))
$(eval $(call module,runtime/core,catalogue runtime runtime/arch runtime/core,,$$(RUNTIME_FRAMES)))
$(eval $(call module,runtime/transport,catalogue runtime runtime/arch runtime/core runtime/transport,,$$(RUNTIME_FRAMES)))
$(eval $(call module,runtime/records,catalogue runtime runtime/arch runtime/core runtime/transport runtime/records,,$$(RUNTIME_FRAMES)))
$(eval $(call module,runtime/limits,catalogue runtime runtime/arch runtime/core runtime/transport runtime/records runtime/limits,,$$(RUNTIME_FRAMES)))
$(eval $(call module,runtime/events,catalogue runtime runtime/arch runtime/core runtime/transport runtime/records runtime/limits runtime/events,,$$(RUNTIME_FRAMES)))
$(eval $(call module,runtime/process,catalogue levels runtime runtime/arch runtime/core runtime/transport runtime/records runtime/limits runtime/events runtime/process,,$$(RUNTIME_FRAMES)))
$(eval $(call module,runtime/order,catalogue runtime runtime/arch runtime/core runtime/order,,$$(RUNTIME_FRAMES)))
$(eval $(call module,runtime/taperun,options catalogue runtime runtime/arch runtime/core runtime/transport runtime/taperun))
# mpi.h is to declare also what was removed from MPI: old programs call it
$(eval $(call module,runtime/mpi,catalogue levels $(RUNTIME_FOLDERS) runtime/order stream runtime/mpi,$(MPICC_OPENMPI),-DOMPI_OMIT_MPI1_COMPAT_DECLS=0 $$(RUNTIME_FRAMES)))

# what each family's mpi.h declares: the wrappers are of that
define has
$(GEN)/tape_has_$(1).h:
	@mkdir -p $$(@D)
	echo '#include <mpi.h>' | $(2) -E -P -x c - | grep -oE '\<MPI_[A-Za-z0-9_]+ *\(' | \
		tr -d ' (' | sort -u | sed 's/.*/#define TAPE_HAS_& 1/' > $$@.tmp && \
		grep -qw TAPE_HAS_MPI_Send $$@.tmp && mv $$@.tmp $$@
endef
$(eval $(call has,openmpi,$(MPICC_OPENMPI)))
$(eval $(call has,mpich,$(MPICC_MPICH)))
$(call objects,$(RUNTIME_MPI)): $(GEN)/tape_has_openmpi.h
$(RUNTIME_MPI:runtime/mpi/%.c=$(B)/obj/runtime/mpich/%.o): $(GEN)/tape_has_mpich.h

# the same sources, the other headers
RUNTIME_MPICH := $(RUNTIME_MPI:runtime/mpi/%.c=$(B)/obj/runtime/mpich/%.o)
$(B)/obj/runtime/mpich/%.o: runtime/mpi/%.c | catalogue-views
	@mkdir -p $(@D)
	$(MPICC_MPICH) $(CFLAGS) $(ours) $(RUNTIME_FRAMES) $(call include_flags,catalogue levels $(RUNTIME_FOLDERS) runtime/order stream runtime/mpi) -I$(GEN) -MMD -MP -c $< -o $@
$(call objects,$(RUNTIME_MPI)) $(RUNTIME_MPICH): $(patsubst %,$(GEN)/tape_%.h,wrap next real_fortran wrap_fortran virtual virtual_fortran prototypes)

# streams, which the tracer does not export (stream/module.mk makes them)
STREAM_ARCHIVE := $(B)/obj/stream/libstream.a
STREAM_ARCHIVE_MPICH := $(B)/obj/stream/mpich/libstream.a
# $(call tracer,NAME,COMPILER,OBJECTS)
define tracer
$(LIB)/$(1).so: $(call objects,$(RUNTIME_CORE) $(RUNTIME_LEVELS) levels/hardware.c) $(3)
	@mkdir -p $$(@D)
	$(2) -shared $$(CFLAGS) $$^ $$(LDFLAGS) -Wl,-soname,$(1).so -Wl,-z,nodelete -Wl,--exclude-libs,libstream.a $(HWLOC_LIBS) $(RUNTIME_LIBS) -o $$@
all: $(LIB)/$(1).so
endef
ifneq ($(HAVE_OPENMPI),)
$(eval $(call tracer,libtape-mpi,$(MPICC_OPENMPI),$(call objects,$(RUNTIME_MPI) stream/partitions.c) $(STREAM_ARCHIVE)))
endif
ifneq ($(HAVE_MPICH),)
$(eval $(call tracer,libtape-mpich,$(MPICC_MPICH),$(RUNTIME_MPICH) $(B)/obj/stream/mpich/partitions.o $(STREAM_ARCHIVE_MPICH)))
endif

# libtape-pvm: needs PVM's own libraries, wherever they come in the order
RUNTIME_PVM := $(filter-out runtime/pvm/clock_server.c,$(wildcard runtime/pvm/*.c))
ifneq ($(HAVE_PVM),)
$(eval $(call module,runtime/pvm,catalogue levels $(RUNTIME_FOLDERS) runtime/order runtime/pvm,,$$(RUNTIME_FRAMES)))
PVM_GEN := $(patsubst %,$(GEN)/tape_%_pvm.h,real wrap prototypes)
$(call objects,$(RUNTIME_PVM)): $(PVM_GEN)
PVM_LIBS := -Wl,--no-as-needed -lgpvm3 -lpvm3
$(LIB)/libtape-pvm.so: $(call objects,$(RUNTIME_CORE) $(RUNTIME_LEVELS) $(RUNTIME_PVM))
	@mkdir -p $(@D)
	$(CC) -shared $(CFLAGS) $^ $(LDFLAGS) -Wl,-soname,libtape-pvm.so -Wl,-z,nodelete $(PVM_LIBS) $(RUNTIME_LIBS) -o $@
# the same as an archive, for programs whose PVM is linked statically: calls of
# the program, and of the library, go by the linker's --wrap to the wrappers
PVM_LINKED := $(RUNTIME_PVM:runtime/pvm/%.c=$(B)/obj/runtime/pvm_linked/%.o)
$(PVM_LINKED): $(B)/obj/runtime/pvm_linked/%.o: runtime/pvm/%.c | catalogue-views
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(ours) $(RUNTIME_FRAMES) -DTAPE_PVM_LINKED $(call include_flags,catalogue levels $(RUNTIME_FOLDERS) runtime/order runtime/pvm) -I$(GEN) -MMD -MP -c $< -o $@
$(PVM_LINKED): $(PVM_GEN)
PVM_ARCHIVE := $(LIB)/libtape-pvm.a
$(PVM_ARCHIVE): $(call objects,$(filter-out $(RUNTIME_BETWEEN),$(RUNTIME_CORE)) $(RUNTIME_LEVELS)) $(PVM_LINKED)
	rm -f $@ && ar crs $@ $^
# what to give to the compiler for that: cc prog.o -LDIR @DIR/libtape-pvm.link
PVM_LINK := $(LIB)/libtape-pvm.link
$(PVM_LINK): catalogue/pvm.tab
	@mkdir -p $(@D)
	awk '$$1 ~ /^[0-9]+$$/ { print "-Wl,--wrap=" $$2 } \
	END { print "-l:libtape-pvm.a -l:libgpvm3.a -l:libpvm3.a -ltirpc $(RUNTIME_LIBS)" }' $< > $@

# the clock server, which taperun starts: beside the library
PVM_CLOCK := $(LIB)/tape-pvm-clock
$(PVM_CLOCK): $(call objects,runtime/pvm/clock_server.c runtime/core/ticks.c runtime/core/config.c runtime/core/settings_of_job.c runtime/core/filter.c)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $^ $(LDFLAGS) -lpvm3 -o $@
all: $(LIB)/libtape-pvm.so $(PVM_ARCHIVE) $(PVM_LINK) $(PVM_CLOCK)
endif

$(eval $(call program,taperun,$(call objects,$(RUNTIME_PROGRAMS) runtime/transport/remote_connect.c runtime/core/config.c runtime/core/settings_of_job.c runtime/core/filter.c runtime/core/ticks.c runtime/core/library_family.c catalogue/error.c catalogue/launcher_options.c) $(OPTIONS)))

include runtime/simulated/module.mk
