# Unit tests: one program per tests/unit/NAME.c, linked with every archive.
$(eval $(call module,tests/unit,catalogue reader tools/common tools/model tapepp tests/unit tests/rigs runtime,,$(SITES_FLAGS)))
$(eval $(call module,tests/rigs,catalogue reader tools/common tools/model tests/rigs))
RIGS := $(B)/obj/librigs.a
$(eval $(call archive,$(RIGS),$(wildcard tests/rigs/*.c)))
UNITS := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/*.c))
# the settings are those of the runtime, which is built where there is an MPI
ifeq ($(HAVE_MPI),)
UNITS := $(filter-out %/config %/filter,$(UNITS))
endif
$(UNITS): $(B)/unit/%: $(B)/obj/tests/unit/%.o $(RIGS) $(COMMON) $(MODEL) $(READER) $(REROUTE) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(SITES_LIBS) -lgsl -lgslcblas -lm -o $@
$(B)/unit/config $(B)/unit/filter: $(call objects,runtime/filter.c runtime/config.c)
tests: $(UNITS)

# Writes the expected output of every golden case anew; read the difference.
golden-update: all
	PATH=$(BIN):$$PATH tests/golden/run.sh -u

# Rigs are programs of their own: des, the simulation with a known truth.
$(B)/rig/des: $(B)/obj/tests/rigs/des.o $(RIGS) $(READER) $(CATALOGUE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDSAN) $< $(filter %.a,$^) -lm -o $@
tests: $(B)/rig/des
-include tests/rigs/counter/module.mk tests/rigs/smpi/module.mk tests/fuzz/module.mk
