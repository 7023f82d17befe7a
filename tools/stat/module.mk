stat_PROGRAM := tapestat
stat_USES := plugin tools/analyse tools/sums tools/plugin
stat_ARCHIVE = $(SUMS) $(PLUGIN) $(ANALYSE)
stat_LIBS := $(SITES_LIBS)

# The same for the processes of an MPI job: a program for each library.
STAT_JOB := $(filter-out %/door.o,$(call objects,$(wildcard tools/stat/*.c)))
# $(call stat_job,FAMILY,COMPILER,FLAGS)
define stat_job
$(B)/obj/tools/stat/mpi/$(1).o: tools/stat/mpi/job.c | catalogue-views
	@mkdir -p $$(@D)
	$(2) $$(CFLAGS) $$(ours) $(3) -Icatalogue -Ireader -Itools/common -Itools/replay -Itools/analyse \
		-Itools/sums -Itools/stat -I$$(GEN) -MMD -MP -c $$< -o $$@
$(B)/libexec/tapestat-$(1): $(B)/obj/tools/stat/mpi/$(1).o $(STAT_JOB) $(SUMS) $(PLUGIN) $(ANALYSE) $(REPLAY) $(COMMON) $(MODEL) \
		$(READER) $(CATALOGUE)
	@mkdir -p $$(@D)
	$(2) $$(CFLAGS) $$(LDSAN) $$(filter %.o,$$^) $$(filter %.a,$$^) $$(LDFLAGS) $(SITES_LIBS) -lm -o $$@
all: $(B)/libexec/tapestat-$(1)
LIBEXEC += $(B)/libexec/tapestat-$(1)
endef
ifneq ($(HAVE_OPENMPI),)
$(eval $(call stat_job,openmpi,$(MPICC_OPENMPI)))
endif
ifneq ($(HAVE_MPICH),)
$(eval $(call stat_job,mpich,$(MPICC_MPICH),-Wno-stringop-overflow))
endif
