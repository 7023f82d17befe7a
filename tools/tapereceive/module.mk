# What tapelive becomes in an MPI job: for each MPI library one.
RECEIVE := $(wildcard tools/tapereceive/*.c)
RECEIVE_FOLDERS := catalogue stream lib/common lib/live tools/tapereceive
$(eval $(call module,tools/tapereceive,$(RECEIVE_FOLDERS),$(MPICC_OPENMPI)))
RECEIVE_MPICH := $(RECEIVE:tools/tapereceive/%.c=$(B)/obj/tools/tapereceive/mpich/%.o)
$(B)/obj/tools/tapereceive/mpich/%.o: tools/tapereceive/%.c | catalogue-views
	@mkdir -p $(@D)
	$(MPICC_MPICH) $(CFLAGS) $(ours) $(MPICH_FLAGS) $(call include_flags,$(RECEIVE_FOLDERS)) -I$(GEN) -MMD -MP -c $< -o $@

# $(call receiver,FAMILY,COMPILER,OBJECTS)
define receiver
$(B)/libexec/tapelive-$(1): $(3) $(SPOOL) $(COMMON) $(CATALOGUE)
	@mkdir -p $$(@D)
	$(2) $$(CFLAGS) $$(LDSAN) $$(filter %.o,$$^) $$(filter %.a,$$^) $$(LDFLAGS) -lm -o $$@
all: $(B)/libexec/tapelive-$(1)
LIBEXEC += $(B)/libexec/tapelive-$(1)
endef
ifneq ($(HAVE_OPENMPI),)
$(eval $(call receiver,openmpi,$(MPICC_OPENMPI),$(call objects,$(RECEIVE) stream/partitions.c) $(B)/obj/stream/libstream.a))
endif
ifneq ($(HAVE_MPICH),)
$(eval $(call receiver,mpich,$(MPICC_MPICH),$(RECEIVE_MPICH) $(B)/obj/stream/mpich/partitions.o $(B)/obj/stream/mpich/libstream.a))
endif
