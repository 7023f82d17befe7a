live_PROGRAM := tapelive
live_USES := tools/analyse tools/sums tools/report_html tools/live_page
live_ARCHIVE = $(REPORT_HTML) $(LIVE_PAGE) $(SUMS) $(ANALYSE)
live_LIBS := $(SITES_LIBS) $(LIVE_PAGE_LIBS)
