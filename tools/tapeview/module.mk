tapeview_USES := lib/waits lib/profile lib/page
tapeview_ARCHIVE = $(PAGE) $(PROFILE) $(WAITS)
tapeview_LIBS := $(SITES_LIBS) $(ZLIB_LIBS)

# The page's own source, as arrays of bytes.
VIEW_SCRIPTS := $(addprefix tools/tapeview/,data.js hierarchy.js rows.js draw.js overlays.js about.js tables.js clocks.js move.js main.js)
$(eval $(call embedded,page_parts.h,view_part,style=tools/tapeview/style.css body=tools/tapeview/body.html script=$(call joined,$(VIEW_SCRIPTS))))
$(B)/obj/tools/tapeview/page.o: $(GEN)/page_parts.h
$(B)/obj/tools/tapeview/page.o: ours += $(ZLIB_FLAGS)
ifeq ($(ZLIB_LIBS),)
all: without-zlib
without-zlib: ; @echo "no zlib: pages of tapeview are three times as large (./deps installs zlib1g-dev)"
.PHONY: without-zlib
endif

# PNG: librsvg draws the SVG.
ifneq ($(shell pkg-config --exists librsvg-2.0 cairo 2>/dev/null && echo yes),)
$(B)/obj/tools/tapeview/png.o: ours += -DTAPE_HAVE_RSVG $(patsubst -I%,-isystem %,$(filter -I%,$(shell pkg-config --cflags librsvg-2.0)))
tapeview_LIBS += $(shell pkg-config --libs librsvg-2.0 cairo)
else
all: without-librsvg
without-librsvg: ; @echo "no librsvg: tapeview writes SVG, not PNG (./deps installs librsvg2-dev)"
.PHONY: without-librsvg
endif
