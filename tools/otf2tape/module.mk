# OTF2's own library reads the format; without it this tool is left out.
ifneq ($(shell pkg-config --exists otf2 2>/dev/null && echo yes),)
$(patsubst %.c,$(B)/obj/%.o,$(wildcard tools/otf2tape/*.c)): ours += $(shell pkg-config --cflags otf2)
otf2tape_LIBS := $(SITES_LIBS) $(shell pkg-config --libs otf2)
else
TOOLS := $(filter-out otf2tape,$(TOOLS))
all: without-otf2-reader
without-otf2-reader: ; @echo "no OTF2: otf2tape is left out (./deps installs libopen-trace-format2-dev)"
.PHONY: without-otf2-reader
endif
