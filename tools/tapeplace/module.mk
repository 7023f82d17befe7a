tapeplace_USES := lib/actions levels lib/placement
tapeplace_ARCHIVE = $(PLACEMENT) $(ACTIONS) $(LEVELS)
tapeplace_LIBS = $(SITES_LIBS) $(ACTIONS_LIBS) $(HWLOC_LIBS) -lscotch -lscotcherr
# Without SCOTCH this tool is left out.
ifeq ($(HAVE_SCOTCH),)
TOOLS := $(filter-out tapeplace,$(TOOLS))
all: without-scotch
without-scotch: ; @echo "no SCOTCH: tapeplace is left out (./deps installs libscotch-dev)"
.PHONY: without-scotch
endif
