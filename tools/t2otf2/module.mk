# OTF2's own library writes the format; without it this tool is left out. Its name
# differs from system to system.
ifneq ($(shell pkg-config --exists otf2 2>/dev/null && echo yes),)
$(patsubst %.c,$(B)/obj/%.o,$(wildcard tools/t2otf2/*.c)): ours += $(shell pkg-config --cflags otf2)
t2otf2_USES := lib/export
t2otf2_ARCHIVE = $(EXPORT)
t2otf2_LIBS := $(SITES_LIBS) $(shell pkg-config --libs otf2)
else
TOOLS := $(filter-out t2otf2,$(TOOLS))
all: without-otf2
without-otf2: ; @echo "no OTF2: t2otf2 is left out (./deps installs libopen-trace-format2-dev)"
.PHONY: without-otf2
endif
