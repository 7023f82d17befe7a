# Partitions of a job, for the traced program's runtime, for receivers and for
# programs that couple themselves: for Open MPI and for the family of MPICH.
STREAM_SRC := $(wildcard stream/*.c)
$(eval $(call module,stream,catalogue stream,$(MPICC_OPENMPI)))
STREAM_MPICH := $(STREAM_SRC:stream/%.c=$(B)/obj/stream/mpich/%.o)
# the same sources, the other header
$(B)/obj/stream/mpich/%.o: stream/%.c | catalogue-views
	@mkdir -p $(@D)
	$(MPICC_MPICH) $(CFLAGS) $(ours) -Icatalogue -Istream -I$(GEN) -MMD -MP -c $< -o $@
