# The tracer as another version of Tape, for versions.sh: what says which one it
# is compiled anew, all else is the same.
OTHER := $(B)/rig/other
OTHER_OURS = $(ours) -UTAPE_VERSION -DTAPE_VERSION='"9.9.9"' $(RUNTIME_FRAMES) $(call include_flags,catalogue levels $(RUNTIME_FOLDERS) stream) -I$(GEN)
OTHER_META := $(B)/obj/tests/rigs/other/meta.o
$(OTHER_META): runtime/records/meta.c | catalogue-views
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(OTHER_OURS) -MMD -MP -c $< -o $@

# $(call other,NAME,COMPILER,OBJECTS): as libtape-NAME.so
define other
$(B)/obj/tests/rigs/other/$(1).o: stream/partitions.c | catalogue-views
	@mkdir -p $$(@D)
	$(2) $$(CFLAGS) $$(OTHER_OURS) $(MPICH_FLAGS) -MMD -MP -c $$< -o $$@
$(OTHER)/lib/libtape-$(1).so: $(OTHER_META) $(B)/obj/tests/rigs/other/$(1).o \
	$(filter-out $(B)/obj/runtime/records/meta.o,$(call objects,$(RUNTIME_CORE) $(RUNTIME_LEVELS) levels/hardware.c)) $(3)
	@mkdir -p $$(@D)
	$(2) -shared $$(CFLAGS) $$^ $$(LDFLAGS) -Wl,-soname,libtape-$(1).so -Wl,-z,nodelete -Wl,--exclude-libs,libstream.a $(HWLOC_LIBS) $(RUNTIME_LIBS) -o $$@
tests: $(OTHER)/lib/libtape-$(1).so
endef
ifneq ($(HAVE_OPENMPI),)
$(eval $(call other,mpi,$(MPICC_OPENMPI),$(call objects,$(RUNTIME_MPI)) $(STREAM_ARCHIVE)))
endif
ifneq ($(HAVE_MPICH),)
$(eval $(call other,mpich,$(MPICC_MPICH),$(RUNTIME_MPICH) $(STREAM_ARCHIVE_MPICH)))
endif
$(OTHER)/bin/taperun: $(BIN)/taperun
	@mkdir -p $(@D)
	cp $< $@
ifneq ($(HAVE_MPI),)
tests: $(OTHER)/bin/taperun
endif
