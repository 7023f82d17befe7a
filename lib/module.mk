# The libraries of the tools: a folder each, and an archive. A library includes
# from those that its line names.

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
# Compressed files and pages.
ifneq ($(shell $(CC) -include zlib.h -E -x c /dev/null >/dev/null 2>&1 && echo yes),)
ZLIB_FLAGS := -DTAPE_HAVE_ZLIB
ZLIB_LIBS := -lz
endif

# $(call library,NAME,INCLUDED FOLDERS[,FLAGS]): $(NAME), the archive of lib/NAME
define library
$(call module,lib/$(1),$(2) lib/$(1),,$(3))
$(1)_LIBRARY := $(B)/obj/lib$(1).a
$(call archive,$(B)/obj/lib$(1).a,$(call sources,lib/$(1)))
endef

# The numbers; pure.
$(eval $(call library,model,catalogue))
MODEL := $(model_LIBRARY)
# Errors, output, names, call sites; and what reads arguments.
$(eval $(call library,common,catalogue reader lib/model,$(SITES_FLAGS)))
COMMON := $(common_LIBRARY) $(OPTIONS)
# Work that processes share, those of an MPI job too.
$(eval $(call library,parallel,catalogue reader lib/common))
# A trace, replayed.
$(eval $(call library,replay,catalogue reader lib/model lib/common lib/parallel))
REPLAY := $(replay_LIBRARY) $(parallel_LIBRARY)
# One clock for all processes.
$(eval $(call library,clocks,catalogue reader lib/common lib/model lib/parallel lib/replay))
CLOCKS := $(clocks_LIBRARY)
# A trace without the cost of tracing.
include lib/correct/module.mk
# Who waited for whom, and why.
$(eval $(call library,waits,catalogue reader lib/common lib/model lib/parallel lib/replay))
WAITS := $(waits_LIBRARY)
# In which call each rank is, and what can never end.
$(eval $(call library,where,catalogue reader lib/common lib/model lib/parallel lib/replay))
WHERE := $(where_LIBRARY)
# Calls that could have taken another message.
$(eval $(call library,races,catalogue reader lib/common lib/model lib/parallel lib/replay))
RACES := $(races_LIBRARY)
# Sums over a trace, and tables of them.
$(eval $(call library,profile,catalogue reader lib/common lib/model lib/parallel lib/replay lib/waits))
PROFILE := $(profile_LIBRARY)
# HTML pages.
include lib/page/module.mk
# Plug-ins of tools.
$(eval $(call library,plugin,catalogue plugin reader lib/common lib/model lib/parallel lib/replay lib/waits))
PLUGIN := $(plugin_LIBRARY)
# A window of a trace as a trace.
$(eval $(call library,window,catalogue reader lib/common lib/model lib/parallel lib/replay))
WINDOW := $(window_LIBRARY)
# A trace that is still being written.
$(eval $(call library,live,catalogue plugin reader lib/common lib/model lib/parallel lib/replay lib/waits lib/profile lib/plugin lib/window lib/page lib/where))
LIVE := $(live_LIBRARY)
SPOOL := $(call objects,lib/live/spool.c)
# What exports have in common.
$(eval $(call library,export,options reader lib/common lib/model lib/parallel lib/replay catalogue))
EXPORT := $(export_LIBRARY)
# What programs do without times, for simulators.
$(eval $(call library,actions,catalogue reader lib/common lib/model lib/parallel lib/replay))
ACTIONS := $(actions_LIBRARY)
$(B)/obj/lib/actions/action_file.o: ours += $(ZLIB_FLAGS)
ACTIONS_LIBS := $(ZLIB_LIBS)
# The engines that say how long they would take.
include lib/predict/module.mk
# Where the processes should be.
include lib/placement/module.mk
