# Tape in simulated time (runtime/simulated), at a cost that is known, linked with
# programs that run on simulated machines (rig.h).

$(eval $(call module,tests/rigs/smpi,catalogue reader lib/common tests/rigs/smpi))
$(B)/rig/compare: $(B)/obj/tests/rigs/smpi/compare.o $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $< $(filter %.a,$^) -lm -o $@

SMPI := tests/rigs/smpi
# the runtime in simulated time, which here costs something: objects of its own
SMPI_RIG := $(B)/rig/smpi/obj
SMPI_OBJECTS := $(patsubst %.c,$(SMPI_RIG)/%.o,$(SMPI_CORE) $(SMPI_OWN) $(SMPI)/rig.c)
$(SMPI_OBJECTS): $(SMPI_RIG)/%.o: %.c $(SMPI_VIEWS) $(SMPI)/rig.h | catalogue-views
	@mkdir -p $(@D)
	$(smpi_cc) -O2 -g $(smpi_flags) -I$(SMPI_GEN) $(call include_flags,catalogue levels $(RUNTIME_FOLDERS) runtime/mpi runtime/simulated) \
		-I$(SMPI) -I$(GEN) -include $(SMPI)/rig.h -MMD -MP -c $(CURDIR)/$< -o $@ >/dev/null

-include $(SMPI_OBJECTS:.o=.d)

# each program twice: with Tape, and as it is
SMPI_PROGRAMS := $(patsubst $(SMPI)/programs/%.c,%,$(wildcard $(SMPI)/programs/*.c))
$(SMPI_PROGRAMS:%=$(SMPI_RIG)/programs/%.o): $(SMPI_RIG)/programs/%.o: $(SMPI)/programs/%.c $(SMPI)/programs/work.h
	@mkdir -p $(@D)
	$(SMPICC) -O2 -g -std=c11 -D_GNU_SOURCE -fPIC $(warnings) -c $(CURDIR)/$< -o $@
$(SMPI_PROGRAMS:%=$(B)/rig/smpi/%.traced): $(B)/rig/smpi/%.traced: $(SMPI_RIG)/programs/%.o $(SMPI_OBJECTS)
	@mkdir -p $(@D)
	$(SMPICC) $^ -ldl -lpthread -lm -o $@
$(SMPI_PROGRAMS:%=$(B)/rig/smpi/%): $(B)/rig/smpi/%: $(SMPI_RIG)/programs/%.o
	@mkdir -p $(@D)
	$(SMPICC) $^ -lm -o $@
# tapecal, whose results are known there
SMPI_TAPECAL := $(patsubst tools/tapecal/%.c,$(SMPI_RIG)/tapecal/%.o,$(wildcard tools/tapecal/*.c))
$(SMPI_TAPECAL): $(SMPI_RIG)/tapecal/%.o: tools/tapecal/%.c $(wildcard tools/tapecal/*.h) | catalogue-views
	@mkdir -p $(@D)
	$(SMPICC) -O2 -g $(filter-out -fvisibility=hidden,$(smpi_flags)) \
		$(call include_flags,options catalogue levels reader lib/common lib/model) -I$(GEN) -c $(CURDIR)/$< -o $@
# and what reads its arguments: each rank has getopt's variables of its own there
SMPI_OPTIONS := $(patsubst options/%.c,$(SMPI_RIG)/options/%.o,$(wildcard options/*.c))
$(SMPI_OPTIONS): $(SMPI_RIG)/options/%.o: options/%.c $(wildcard options/*.h)
	@mkdir -p $(@D)
	$(SMPICC) -O2 -g $(filter-out -fvisibility=hidden,$(smpi_flags)) -Ioptions -Icatalogue -c $(CURDIR)/$< -o $@
$(B)/rig/smpi/tapecal: $(SMPI_TAPECAL) $(SMPI_OPTIONS) $(COMMON) $(MODEL) $(READER) $(LEVELS) $(CATALOGUE)
	@mkdir -p $(@D)
	$(SMPICC) $(filter %.o,$^) $(filter %.a,$^) -lm -o $@
ifneq ($(HAVE_SMPI),)
ifneq ($(HAVE_MPI),)
tests: $(B)/rig/smpi/tapecal
tests benches: $(B)/rig/compare $(SMPI_PROGRAMS:%=$(B)/rig/smpi/%) $(SMPI_PROGRAMS:%=$(B)/rig/smpi/%.traced)
endif
endif
