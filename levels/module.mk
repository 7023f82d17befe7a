# Where processes are in the hierarchy of the hardware: switches from a file,
# what is inside a host from hwloc.
ifneq ($(shell pkg-config --exists 'hwloc >= 2.0' 2>/dev/null && echo yes),)
HWLOC_LIBS := $(shell pkg-config --libs hwloc)
$(B)/obj/levels/hardware.o: ours += -DTAPE_HAVE_HWLOC $(shell pkg-config --cflags hwloc)
else
all: without-hwloc
without-hwloc: ; @echo "no hwloc: levels inside a host are not known (./deps installs libhwloc-dev)"
.PHONY: without-hwloc
endif
$(eval $(call module,levels,catalogue levels))
LEVELS := $(B)/obj/liblevels.a
$(eval $(call archive,$(LEVELS),$(wildcard levels/*.c)))
