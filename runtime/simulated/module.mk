# tape-smpi.o: the runtime for programs that SimGrid's MPI (SMPI) runs in
# simulated time, from the same sources as libtape-mpi and some of its own;
# tape-smpi-fortran.o: what is added for programs in Fortran. Objects, for the
# linker leaves out an archive's where the program's references are weak.
SMPI_GEN := $(B)/gen-smpi
SMPI_HAS := $(SMPI_GEN)/tape_has_smpi.h
SMPI_TABLES := $(SMPI_GEN)/tables/mpi.tab
# it says on standard output that programs made so are no good for SimGrid
smpi_cc = SMPI_PRETEND_CC=1 $(SMPICC)

$(SMPI_HAS):
	@mkdir -p $(@D)
	echo '#include <mpi.h>' | $(smpi_cc) -E -P -x c - | grep -oE '\<MPI_[A-Za-z0-9_]+ *\(' | \
		tr -d ' (' | sort -u | sed 's/.*/#define TAPE_HAS_& 1/' > $@.tmp && \
		grep -qw TAPE_HAS_MPI_Send $@.tmp && mv $@.tmp $@
# the tables, with the calls that it declares
$(SMPI_TABLES): $(TABLES) $(SMPI_HAS)
	@mkdir -p $(@D)
	cp $(TABLES) $(@D)
	awk 'NR == FNR { sub("TAPE_HAS_", "", $$2); has[$$2] = 1; next } \
		!/^[0-9]/ || $$2 in has' $(SMPI_HAS) catalogue/mpi.tab >$@.tmp
	mv $@.tmp $@
# $(call smpi_view,VIEW,FILE)
define smpi_view
$(SMPI_GEN)/$(2): $(B)/mkcatalogue $(SMPI_TABLES)
	$(B)/mkcatalogue $(1) $(SMPI_GEN)/tables >$$@.tmp && mv $$@.tmp $$@
endef
$(eval $(call smpi_view,wrap-c,tape_wrap.h))
$(eval $(call smpi_view,next,tape_next.h))
$(eval $(call smpi_view,real-fortran,tape_real_fortran.h))
$(eval $(call smpi_view,wrap-fortran,tape_wrap_fortran.h))
$(eval $(call smpi_view,check,check.c))
# its declarations under other names, and the catalogue's (simulated.h)
$(SMPI_GEN)/tape_smpi_hide.h: $(SMPI_TABLES)
	awk '/^[0-9]/ { print "#define " $$2 " tape_hidden_" $$2 }' $< >$@
$(SMPI_GEN)/tape_smpi_calls.h: runtime/simulated/calls.awk $(SMPI_HAS) $(SMPI_GEN)/check.c
	awk -f $^ >$@
SMPI_VIEWS := $(addprefix $(SMPI_GEN)/,tape_wrap.h tape_next.h tape_real_fortran.h tape_wrap_fortran.h \
	tape_smpi_hide.h tape_smpi_calls.h) $(SMPI_HAS)

# no counters, other families, layers or calibration; nothing that stands
# between the program and the C library
SMPI_CORE := $(filter-out $(addprefix %/,no_trace_notice.c ticks.c around_call.c processor.c processor_marks.c) $(RUNTIME_BETWEEN),$(wildcard $(RUNTIME_LAYERS:%=runtime/%/*.c))) \
	$(wildcard runtime/arch/*/call_on_stack.c) \
	$(addprefix runtime/mpi/,request_table.c communicators.c neighbours.c completion.c call_entry.c level.c queue.c request.c world.c) \
	catalogue/record.c catalogue/error.c catalogue/position.c catalogue/equal_texts.c $(RUNTIME_LEVELS)
SMPI_OWN := $(addprefix runtime/simulated/,bursts.c clock.c life.c sample.c words.c wrap.c)
# the wrappers' other calls have no entry point, and one thread has all variables
smpi_flags := -std=c11 -D_GNU_SOURCE -DTAPE_VERSION='"$(VERSION)"' -fPIC -fvisibility=hidden \
	$(warnings) -Wno-attributes -Wno-unused-function

# each rank loads a copy of the program: no lines for debuggers in it
SMPI_OBJ := $(B)/obj/runtime/simulated
$(SMPI_OBJ)/%.o: %.c $(SMPI_VIEWS) | catalogue-views
	@mkdir -p $(@D)
	$(smpi_cc) -O2 $(smpi_flags) -I$(SMPI_GEN) $(call include_flags,catalogue levels $(RUNTIME_FOLDERS) runtime/mpi runtime/simulated) \
		-I$(GEN) -include runtime/simulated/simulated.h -MMD -MP -c $(CURDIR)/$< -o $@ >/dev/null
$(SMPI_OBJ)/runtime/simulated/next.o: private smpi_flags += -DTAPE_NEXT_TABLE
$(LIB)/tape-smpi.o: $(patsubst %.c,$(SMPI_OBJ)/%.o,$(SMPI_CORE) $(SMPI_OWN) runtime/simulated/calibrate.c runtime/simulated/next.c)
	@mkdir -p $(@D)
	$(LD) -r $^ -o $@
$(LIB)/tape-smpi-fortran.o: $(patsubst %.c,$(SMPI_OBJ)/%.o,runtime/simulated/fortran_wrap.c runtime/mpi/fortran.c)
	@mkdir -p $(@D)
	$(LD) -r $^ -o $@
# the hosts of a platform, which taperun asks for
$(LIB)/tape-simgrid-hosts: runtime/simulated/hosts.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(ours) $< -lsimgrid -o $@
SMPI_PARTS := $(addprefix $(LIB)/,tape-smpi.o tape-smpi-fortran.o)
SMPI_HOSTS := $(LIB)/tape-simgrid-hosts
ifeq ($(HAVE_SMPI),)
SMPI_PARTS :=
SMPI_HOSTS :=
endif
all: $(SMPI_PARTS) $(SMPI_HOSTS)
