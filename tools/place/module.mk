place_PROGRAM := tapeplace
place_USES := tools/actions levels
place_ARCHIVE = $(ACTIONS) $(LEVELS)
place_LIBS = $(SITES_LIBS) $(ACTIONS_LIBS) $(HWLOC_LIBS) -lscotch -lscotcherr
# SCOTCH divides ranks; without it this tool is left out. It is in a folder of
# its own on Debian.
SCOTCH_FLAGS := $(patsubst %,-isystem %,$(firstword $(wildcard /usr/include/scotch)))
ifneq ($(shell $(CC) $(SCOTCH_FLAGS) -include stdio.h -include scotch.h -E -x c /dev/null >/dev/null 2>&1 && echo yes),)
$(B)/obj/tools/place/partition.o: ours += $(SCOTCH_FLAGS)
else
TOOLS := $(filter-out place,$(TOOLS))
all: without-scotch
without-scotch: ; @echo "no SCOTCH: tapeplace is left out (./deps installs libscotch-dev)"
.PHONY: without-scotch
endif
