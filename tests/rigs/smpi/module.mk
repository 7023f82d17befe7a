# Tape in simulated time: Tape's own sources, compiled for SimGrid's MPI, and
# linked with programs that run on simulated machines (smpi.h).
SMPICC    ?= smpicc
HAVE_SMPI := $(shell command -v $(SMPICC) 2>/dev/null)

$(eval $(call module,tests/rigs/smpi,catalogue reader tools/common tests/rigs/smpi))
$(B)/rig/compare: $(B)/obj/tests/rigs/smpi/compare.o $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $< $(filter %.a,$^) -lm -o $@

SMPI := tests/rigs/smpi
# separate from the objects of the tools, which keep no state
SMPI_OBJ := $(B)/rig/smpi/obj
# a folder of tables with the calls that have wrappers here
$(SMPI_OBJ)/smpi_wrap.h: $(B)/mkcatalogue $(TABLES) $(SMPI)/calls
	@mkdir -p $(@D)/tables
	cp $(TABLES) $(@D)/tables
	awk 'NR == FNR { if (/^MPI/) keep[$$1] = 1; next } !/^[0-9]/ || $$2 in keep' \
		$(SMPI)/calls catalogue/mpi.tab >$(@D)/tables/mpi.tab
	$(B)/mkcatalogue wrap-c $(@D)/tables >$@

SMPI_SRC := $(filter-out $(addprefix runtime/,taperun.c choose_family.c program_file.c launcher.c first.c ticks.c dlclose.c around_call.c),$(wildcard runtime/*.c)) \
	$(addprefix runtime/mpi/,request_table.c communicators.c complete.c door.c life.c tree.c queue.c request.c world.c other_family.c) \
	catalogue/record.c catalogue/error.c $(SMPI)/smpi.c $(SMPI)/wrap.c
SMPI_OBJECTS := $(SMPI_SRC:%.c=$(SMPI_OBJ)/%.o)
# the wrappers' other calls have no door, and one thread has all variables
smpi_flags := -std=c11 -D_GNU_SOURCE -DTAPE_VERSION='"$(VERSION)"' -fPIC -fvisibility=hidden \
	-Wall -Wextra -Wshadow -Wconversion -Werror -Wno-attributes -Wno-unused-function
$(SMPI_OBJECTS): $(SMPI_OBJ)/%.o: %.c $(SMPI_OBJ)/smpi_wrap.h $(SMPI)/smpi.h | catalogue-views
	@mkdir -p $(@D)
	SMPI_PRETEND_CC=1 $(SMPICC) -O2 -g $(smpi_flags) -Icatalogue -Iruntime -Iruntime/mpi -I$(SMPI) \
		-I$(GEN) -I$(SMPI_OBJ) -include $(SMPI)/smpi.h -MMD -MP -c $(CURDIR)/$< -o $@ >/dev/null

-include $(SMPI_OBJECTS:.o=.d)

# each program twice: with Tape, and as it is
SMPI_PROGRAMS := $(patsubst $(SMPI)/programs/%.c,%,$(wildcard $(SMPI)/programs/*.c))
$(SMPI_PROGRAMS:%=$(SMPI_OBJ)/programs/%.o): $(SMPI_OBJ)/programs/%.o: $(SMPI)/programs/%.c $(SMPI)/programs/work.h
	@mkdir -p $(@D)
	$(SMPICC) -O2 -g -std=c11 -D_GNU_SOURCE -fPIC -Wall -Wextra -Wshadow -Wconversion -Werror -c $(CURDIR)/$< -o $@
$(SMPI_PROGRAMS:%=$(B)/rig/smpi/%.traced): $(B)/rig/smpi/%.traced: $(SMPI_OBJ)/programs/%.o $(SMPI_OBJECTS)
	@mkdir -p $(@D)
	$(SMPICC) $^ -Wl,-Bsymbolic -ldl -lpthread -lm -o $@
$(SMPI_PROGRAMS:%=$(B)/rig/smpi/%): $(B)/rig/smpi/%: $(SMPI_OBJ)/programs/%.o
	@mkdir -p $(@D)
	$(SMPICC) $^ -lm -o $@
# tapecal, whose results are known there
SMPI_TAPECAL := $(patsubst tools/tapecal/%.c,$(SMPI_OBJ)/tapecal/%.o,$(wildcard tools/tapecal/*.c))
$(SMPI_TAPECAL): $(SMPI_OBJ)/tapecal/%.o: tools/tapecal/%.c $(wildcard tools/tapecal/*.h)
	@mkdir -p $(@D)
	$(SMPICC) -O2 -g $(filter-out -fvisibility=hidden,$(smpi_flags)) \
		-Icatalogue -Ireader -Itools/common -Itools/model -I$(GEN) -c $(CURDIR)/$< -o $@
$(B)/rig/smpi/tapecal: $(SMPI_TAPECAL) $(COMMON) $(MODEL) $(CATALOGUE)
	@mkdir -p $(@D)
	$(SMPICC) $(filter %.o,$^) $(filter %.a,$^) -lm -o $@
ifneq ($(HAVE_SMPI),)
ifneq ($(HAVE_MPI),)
tests: $(B)/rig/smpi/tapecal
tests benches: $(B)/rig/compare $(SMPI_PROGRAMS:%=$(B)/rig/smpi/%) $(SMPI_PROGRAMS:%=$(B)/rig/smpi/%.traced)
endif
endif
