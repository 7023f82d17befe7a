# The live page of tapelive, where there is libmicrohttpd.
$(eval $(call module,tools/live_page,tools/live_page))
LIVE_PAGE := $(B)/obj/liblive_page.a
$(eval $(call archive,$(LIVE_PAGE),$(wildcard tools/live_page/*.c)))
ifneq ($(shell pkg-config --exists libmicrohttpd 2>/dev/null && echo yes),)
LIVE_PAGE_LIBS := $(shell pkg-config --libs libmicrohttpd) -lpthread
$(B)/obj/tools/live_page/live_page.o: ours += -DTAPE_HAVE_MICROHTTPD $(patsubst -I%,-isystem %,$(filter -I%,$(shell pkg-config --cflags libmicrohttpd)))
else
all: without-microhttpd
without-microhttpd: ; @echo "no libmicrohttpd: tapelive has no live page (./deps installs libmicrohttpd-dev)"
.PHONY: without-microhttpd
endif

# The page itself, as an array of bytes.
LIVE_PARTS := $(GEN)/live_parts.h
$(LIVE_PARTS): tools/live_page/module.mk $(addprefix tools/live_page/,live.html live.css live.js)
	@mkdir -p $(@D)
	{ \
		echo "static const unsigned char live_part_page[] = {"; \
		sed -e '/@STYLE@/{r tools/live_page/live.css' -e 'd}' \
			-e '/@SCRIPT@/{r tools/live_page/live.js' -e 'd}' \
			tools/live_page/live.html | \
			od -An -v -tx1 | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'; \
		echo "};"; \
	} > $@.tmp && mv $@.tmp $@
$(B)/obj/tools/live_page/live_page.o: $(LIVE_PARTS)
