# Call sites are looked up with elfutils' libdw, C++ names with libstdc++.
ifneq ($(shell $(CC) -include elfutils/libdwfl.h -E -x c /dev/null >/dev/null 2>&1 && echo yes),)
SITES_FLAGS := -DTAPE_HAVE_DW
SITES_LIBS := -ldw -lelf
else
all: without-libdw
without-libdw: ; @echo "no libdw: call sites of programs not compiled by tapecc stay addresses (./deps installs libdw-dev)"
.PHONY: without-libdw
endif
ifneq ($(filter /%,$(shell $(CC) -print-file-name=libstdc++.so)),)
SITES_FLAGS += -DTAPE_HAVE_CXX
SITES_LIBS += -lstdc++
endif

# Libraries shared by the tools, then one program per remaining folder.
# A folder's own module.mk may set NAME_PROGRAM, NAME_LIBS, NAME_ARCHIVE and NAME_USES.
$(eval $(call module,tools/common,catalogue reader tools/model tools/common,,$(SITES_FLAGS)))
COMMON := $(B)/obj/libcommon.a
$(eval $(call archive,$(COMMON),$(wildcard tools/common/*.c)))
# and what reads their arguments
COMMON += $(OPTIONS)

$(eval $(call module,tools/model,catalogue tools/model))
MODEL := $(B)/obj/libmodel.a
$(eval $(call archive,$(MODEL),$(wildcard tools/model/*.c)))
$(eval $(call module,tools/replay,catalogue reader tools/model tools/common tools/replay))
REPLAY := $(B)/obj/libreplay.a
$(eval $(call archive,$(REPLAY),$(wildcard tools/replay/*.c)))

# What a tool does with the other processes of an MPI job.
$(eval $(call module,tools/job,catalogue reader tools/common tools/model tools/replay tools/job))
JOB := $(B)/obj/libjob.a
$(eval $(call archive,$(JOB),$(wildcard tools/job/*.c)))

# tico and tapefit correct a trace, or learn from one.
$(eval $(call module,tools/correct,reader tools/common tools/model tools/replay catalogue tools/correct))
CORRECT := $(B)/obj/libcorrect.a
$(eval $(call archive,$(CORRECT),$(wildcard tools/correct/*.c)))
# Who waited for whom, and why.
$(eval $(call module,tools/analyse,catalogue reader tools/common tools/model tools/replay tools/analyse))
ANALYSE := $(B)/obj/libanalyse.a
$(eval $(call archive,$(ANALYSE),$(wildcard tools/analyse/*.c)))
# Sums over a trace, and tables of them.
$(eval $(call module,tools/sums,catalogue reader tools/common tools/model tools/replay tools/job tools/analyse tools/sums))
SUMS := $(B)/obj/libsums.a
$(eval $(call archive,$(SUMS),$(wildcard tools/sums/*.c)))
include tools/report_html/module.mk tools/live_page/module.mk
# Plug-ins of tools, and the process that each of them has.
$(eval $(call module,tools/plugin,catalogue plugin reader tools/common tools/model tools/replay tools/analyse tools/plugin))
PLUGIN := $(B)/obj/libplugin.a
$(eval $(call archive,$(PLUGIN),$(wildcard tools/plugin/*.c)))
$(eval $(call module,tools/board,catalogue plugin reader tools/common tools/model tools/replay tools/analyse tools/plugin tools/board))
include tools/board/module.mk
# A trace that comes in pieces, of a job's streams or from other hosts.
$(eval $(call module,tools/spool,catalogue tools/common tools/spool))
SPOOL := $(call objects,tools/spool/spool.c)
$(eval $(call module,tools/gather,catalogue tools/common tools/model tools/spool tools/gather))
include tools/gather/module.mk
# A user's own model is run by LuaJIT.
ifneq ($(shell pkg-config --exists luajit 2>/dev/null && echo yes),)
$(B)/obj/tools/correct/lua_model.o: ours += -DTAPE_HAVE_LUA $(shell pkg-config --cflags luajit)
LUA_LIBS := $(shell pkg-config --libs luajit)
else
all: without-luajit
without-luajit: ; @echo "no luajit: tico -m takes no model in Lua (./deps installs libluajit-5.1-dev)"
.PHONY: without-luajit
endif

# A window of a trace as a trace.
$(eval $(call module,tools/cut,catalogue reader tools/common tools/model tools/replay tools/cut))
CUT := $(B)/obj/libcut.a
$(eval $(call archive,$(CUT),$(wildcard tools/cut/*.c)))

# What exports have in common.
$(eval $(call module,tools/export,options reader tools/common tools/model tools/replay catalogue tools/export))
EXPORT := $(B)/obj/libexport.a
$(eval $(call archive,$(EXPORT),$(wildcard tools/export/*.c)))

# What programs do without times, for simulators.
$(eval $(call module,tools/actions,catalogue reader tools/common tools/model tools/replay tools/actions))
ACTIONS := $(B)/obj/libactions.a
$(eval $(call archive,$(ACTIONS),$(wildcard tools/actions/*.c)))
ifneq ($(shell $(CC) -include zlib.h -E -x c /dev/null >/dev/null 2>&1 && echo yes),)
$(B)/obj/tools/actions/action_file.o: ours += -DTAPE_HAVE_ZLIB
ACTIONS_LIBS := -lz
endif

# tapecal is compiled for MPI, and only where there is one.
TOOLS := $(filter-out actions analyse board common correct cut export gather job live_page model plugin receive replay report_html spool sums tapecal,$(patsubst tools/%/,%,$(sort $(dir $(wildcard tools/*/*.c)))))
-include $(wildcard $(TOOLS:%=tools/%/module.mk)) tools/sim/replayer/module.mk
define tool
$(call module,tools/$(1),options reader tools/common tools/model tools/replay catalogue tools/$(1) $($(1)_USES))
$(call program,$(or $($(1)_PROGRAM),$(1)),$(call objects,$(wildcard tools/$(1)/*.c)) $($(1)_ARCHIVE) $(REPLAY) $(COMMON) $(MODEL) $(READER) $(CATALOGUE),$($(1)_LIBS) -lm)
endef
$(foreach t,$(TOOLS),$(eval $(call tool,$(t))))

# A tool with a line NAME_JOB is a program of each MPI library, too, for jobs.
# $(call job,FAMILY,COMPILER,FLAGS), $(call job_program,NAME,FAMILY,COMPILER)
define job
$(B)/obj/tools/job/mpi/$(1).o: tools/job/mpi/job.c | catalogue-views
	@mkdir -p $$(@D)
	$(2) $$(CFLAGS) $$(ours) $(3) -Icatalogue -Ireader -Itools/common -Itools/replay -Itools/job -I$$(GEN) -MMD -MP -c $$< -o $$@
$(foreach t,$(TOOLS),$(if $($(t)_JOB),$(eval $(call job_program,$(t),$(1),$(2)))))
endef
job_path = $(B)/libexec/$(or $($(1)_PROGRAM),$(1))-$(2)
define job_program
$(call job_path,$(1),$(2)): $(B)/obj/tools/job/mpi/$(2).o $(call objects,$(wildcard tools/$(1)/*.c)) $($(1)_ARCHIVE) $(REPLAY) $(COMMON) $(MODEL) $(READER) $(CATALOGUE)
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
include tools/receive/module.mk
endif
