# hsplit_random compares the splits of libtape-hsplit with the rules, in random
# cases; hsplit_mixed does with colours of one bit, so that most of the pieces
# that a split tells apart have the same.
$(eval $(call module,tests/rigs/hsplit,catalogue levels hsplit tests/rigs/hsplit,$(MPICC_OPENMPI),-O0 -Wno-conversion))
HSPLIT_RANDOM := $(call objects,$(wildcard tests/rigs/hsplit/*.c))
HSPLIT_PARTS := $(call objects,$(filter-out %/split_type_entry.c %/fortran.c %/split.c %/collectives.c,$(HSPLIT_SRC)) catalogue/position.c catalogue/error.c)
$(B)/obj/tests/rigs/hsplit/mixed/split.o: hsplit/split.c | catalogue-views
	@mkdir -p $(@D)
	$(MPICC_OPENMPI) $(CFLAGS) $(ours) -DTAPE_COLOURS=1 -Icatalogue -Ilevels -Ihsplit -I$(GEN) -MMD -MP -c $< -o $@
$(B)/rig/hsplit_random: $(HSPLIT_RANDOM) $(HSPLIT_PARTS) $(call objects,hsplit/split.c) $(LEVELS)
$(B)/rig/hsplit_mixed: $(HSPLIT_RANDOM) $(HSPLIT_PARTS) $(B)/obj/tests/rigs/hsplit/mixed/split.o $(LEVELS)
$(B)/rig/hsplit_random $(B)/rig/hsplit_mixed:
	@mkdir -p $(@D)
	$(MPICC_OPENMPI) $(CFLAGS) $(LDSAN) $(filter %.o,$^) $(filter %.a,$^) $(HWLOC_LIBS) -lpthread -o $@
ifneq ($(HAVE_OPENMPI),)
ifneq ($(HWLOC_LIBS),)
tests: $(B)/rig/hsplit_random $(B)/rig/hsplit_mixed
endif
endif
