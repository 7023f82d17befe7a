view_PROGRAM := tapeview
view_USES := tools/analyse
view_ARCHIVE = $(ANALYSE)
view_LIBS := $(SITES_LIBS)

# The page's own source, as arrays of bytes.
VIEW_SCRIPTS := $(addprefix tools/view/,data.js hierarchy.js rows.js draw.js overlays.js about.js tables.js clocks.js move.js main.js)
VIEW_PARTS := $(GEN)/page_parts.h
$(VIEW_PARTS): tools/view/module.mk tools/view/style.css tools/view/body.html $(VIEW_SCRIPTS)
	@mkdir -p $(@D)
	part() { \
		echo "static const unsigned char view_part_$$1[] = {"; shift; \
		cat "$$@" | od -An -v -tx1 | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'; \
		echo "};"; \
	}; { \
		part style tools/view/style.css; \
		part body tools/view/body.html; \
		part script $(VIEW_SCRIPTS); \
	} > $@.tmp && mv $@.tmp $@
$(B)/obj/tools/view/page.o: $(VIEW_PARTS)

ifneq ($(shell $(CC) -include zlib.h -E -x c /dev/null >/dev/null 2>&1 && echo yes),)
$(B)/obj/tools/view/page.o: ours += -DTAPE_HAVE_ZLIB
view_LIBS += -lz
else
all: without-zlib
without-zlib: ; @echo "no zlib: pages of tapeview are three times as large (./deps installs zlib1g-dev)"
.PHONY: without-zlib
endif

# PNG: librsvg draws the SVG.
ifneq ($(shell pkg-config --exists librsvg-2.0 cairo 2>/dev/null && echo yes),)
$(B)/obj/tools/view/png.o: ours += -DTAPE_HAVE_RSVG $(patsubst -I%,-isystem %,$(filter -I%,$(shell pkg-config --cflags librsvg-2.0)))
view_LIBS += $(shell pkg-config --libs librsvg-2.0 cairo)
else
all: without-librsvg
without-librsvg: ; @echo "no librsvg: tapeview writes SVG, not PNG (./deps installs librsvg2-dev)"
.PHONY: without-librsvg
endif
