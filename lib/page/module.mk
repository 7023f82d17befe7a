# HTML pages: the report, and the live page, which libmicrohttpd serves.
$(eval $(call library,page,catalogue reader lib/common lib/model lib/parallel lib/replay lib/waits lib/profile))
PAGE := $(page_LIBRARY)
ifneq ($(shell pkg-config --exists libmicrohttpd 2>/dev/null && echo yes),)
LIVE_PAGE_LIBS := $(shell pkg-config --libs libmicrohttpd) -lpthread
$(B)/obj/lib/page/live_page.o: ours += -DTAPE_HAVE_MICROHTTPD $(patsubst -I%,-isystem %,$(filter -I%,$(shell pkg-config --cflags libmicrohttpd)))
else
all: without-microhttpd
without-microhttpd: ; @echo "no libmicrohttpd: tapelive has no live page (./deps installs libmicrohttpd-dev)"
.PHONY: without-microhttpd
endif

# Files of a page become arrays of bytes.
$(eval $(call embedded,html_page_parts.h,html_page_part,style=lib/page/page.css script=lib/page/figures.js))
$(B)/obj/lib/page/html_page.o: $(GEN)/html_page_parts.h
$(eval $(call embedded,report_parts.h,report_part,style=lib/page/report.css words=lib/page/words.html script=lib/page/report.js))
$(B)/obj/lib/page/report_page.o: $(GEN)/report_parts.h
$(eval $(call embedded,live_parts.h,live_part,style=lib/page/live.css body=lib/page/live.html script=lib/page/live.js))
$(B)/obj/lib/page/live_page.o: $(GEN)/live_parts.h
