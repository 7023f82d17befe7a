# SCOTCH divides ranks. It is in a folder of its own on Debian.
SCOTCH_FLAGS := $(patsubst %,-isystem %,$(firstword $(wildcard /usr/include/scotch)))
HAVE_SCOTCH := $(shell $(CC) $(SCOTCH_FLAGS) -include stdio.h -include scotch.h -E -x c /dev/null >/dev/null 2>&1 && echo yes)
ifneq ($(HAVE_SCOTCH),)
$(eval $(call library,placement,catalogue levels reader lib/common lib/model lib/parallel lib/replay lib/actions))
$(B)/obj/lib/placement/partition.o: ours += $(SCOTCH_FLAGS)
PLACEMENT := $(placement_LIBRARY)
endif
