# Partitions of a job, for the traced program's runtime, for receivers and for
# programs that couple themselves: for Open MPI and for the family of MPICH.
STREAM_SRC := $(wildcard stream/*.c)
$(eval $(call module,stream,catalogue stream,$(MPICC_OPENMPI),$(MPI_FLAGS)))
STREAM_MPICH := $(STREAM_SRC:stream/%.c=$(B)/obj/stream/mpich/%.o)
# the same sources, the other header
$(B)/obj/stream/mpich/%.o: stream/%.c | catalogue-views
	@mkdir -p $(@D)
	$(MPICC_MPICH) $(CFLAGS) $(ours) $(MPICH_FLAGS) -Icatalogue -Istream -I$(GEN) -MMD -MP -c $< -o $@

# what the tracer and receivers have of it, beside partitions
STREAM_PARTS := stream routes
$(eval $(call archive,$(B)/obj/stream/libstream.a,$(STREAM_PARTS:%=stream/%.c)))
$(B)/obj/stream/mpich/libstream.a: $(STREAM_PARTS:%=$(B)/obj/stream/mpich/%.o)
	rm -f $@ && ar crs $@ $^

# libtape-stream and libtape-stream-mpich: streams between programs
# $(call stream,NAME,COMPILER,OBJECTS): exports what tape_stream.h declares
define stream
$(LIB)/$(1).so: $(3) $(call objects,catalogue/error.c)
	@mkdir -p $$(@D)
	$(2) -shared $$(CFLAGS) $$^ $$(LDFLAGS) -Wl,-soname,$(1).so -Wl,-z,nodelete $(if $(LDSAN),,-Wl,-z,defs) -o $$@
all: $(LIB)/$(1).so
LIBSTREAM += $(LIB)/$(1).so
endef
ifneq ($(HAVE_OPENMPI),)
$(eval $(call stream,libtape-stream,$(MPICC_OPENMPI),$(call objects,$(STREAM_SRC))))
endif
ifneq ($(HAVE_MPICH),)
$(eval $(call stream,libtape-stream-mpich,$(MPICC_MPICH),$(STREAM_MPICH)))
endif
