# The report as a page, for commands that have sums.
$(eval $(call module,tools/report_html,catalogue reader tools/common tools/model tools/replay tools/job tools/analyse tools/sums tools/report_html))
REPORT_HTML := $(B)/obj/libreport_html.a
$(eval $(call archive,$(REPORT_HTML),$(wildcard tools/report_html/*.c)))

# Its own source, as arrays of bytes.
REPORT_PARTS := $(GEN)/report_parts.h
$(REPORT_PARTS): tools/report_html/module.mk $(addprefix tools/report_html/,report.css words.html report.js)
	@mkdir -p $(@D)
	part() { \
		echo "static const unsigned char report_part_$$1[] = {"; \
		od -An -v -tx1 $$2 | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'; \
		echo "};"; \
	}; { \
		part style tools/report_html/report.css; \
		part words tools/report_html/words.html; \
		part script tools/report_html/report.js; \
	} > $@.tmp && mv $@.tmp $@
$(B)/obj/tools/report_html/report_page.o: $(REPORT_PARTS)
