# A folder each for the programs. A folder's own module.mk may set NAME_LIBS,
# NAME_ARCHIVE and NAME_USES.

# tapecal and tapereceive are compiled for MPI, and only where there is one.
# tape-plugin, tape-gather, tape-order and tape-replay are started by other programs.
TOOLS := $(filter-out tapecal tapegather tapeorder tapeplugin tapereceive tapereplay,$(patsubst tools/%/,%,$(sort $(dir $(wildcard tools/*/*.c)))))
-include $(wildcard $(TOOLS:%=tools/%/module.mk)) tools/tapegather/module.mk tools/tapeorder/module.mk tools/tapeplugin/module.mk tools/tapereplay/module.mk
define tool
$(call module,tools/$(1),options reader lib/common lib/model lib/parallel lib/replay catalogue tools/$(1) $($(1)_USES))
$(call program,$(1),$(call objects,$(wildcard tools/$(1)/*.c)) $($(1)_ARCHIVE) $(REPLAY) $(COMMON) $(MODEL) $(READER) $(CATALOGUE),$($(1)_LIBS) -lm)
endef
$(foreach t,$(TOOLS),$(eval $(call tool,$(t))))

# A tool with a line NAME_JOB is a program of each MPI library, too, for jobs.
# $(call job,FAMILY,COMPILER,FLAGS), $(call job_program,NAME,FAMILY,COMPILER)
define job
$(B)/obj/lib/parallel/mpi/$(1).o: lib/parallel/mpi/job.c | catalogue-views
	@mkdir -p $$(@D)
	$(2) $$(CFLAGS) $$(ours) $(3) $(call include_flags,catalogue reader lib/common lib/parallel) -I$$(GEN) -MMD -MP -c $$< -o $$@
$(foreach t,$(TOOLS),$(if $($(t)_JOB),$(eval $(call job_program,$(t),$(1),$(2)))))
endef
job_path = $(B)/libexec/$(1)-$(2)
define job_program
$(call job_path,$(1),$(2)): $(B)/obj/lib/parallel/mpi/$(2).o $(call objects,$(wildcard tools/$(1)/*.c)) $($(1)_ARCHIVE) $(REPLAY) $(COMMON) $(MODEL) $(READER) $(CATALOGUE)
	@mkdir -p $$(@D)
	$(3) $$(CFLAGS) $$(LDSAN) $$(filter %.o,$$^) $$(filter %.a,$$^) $$(LDFLAGS) $($(1)_LIBS) -lm -o $$@
all: $(call job_path,$(1),$(2))
LIBEXEC += $(call job_path,$(1),$(2))
endef
ifneq ($(HAVE_OPENMPI),)
$(eval $(call job,openmpi,$(MPICC_OPENMPI)))
endif
ifneq ($(HAVE_MPICH),)
$(eval $(call job,mpich,$(MPICC_MPICH),$(MPICH_FLAGS)))
endif
ifneq ($(HAVE_MPI),)
include tools/tapecal/module.mk
include tools/tapereceive/module.mk
endif
