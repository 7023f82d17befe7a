live_PROGRAM := tapelive
live_USES := plugin tools/job tools/analyse tools/sums tools/plugin tools/cut tools/report_html tools/live_page
live_ARCHIVE = $(REPORT_HTML) $(LIVE_PAGE) $(SUMS) $(PLUGIN) $(ANALYSE) $(JOB) $(CUT)
live_LIBS := $(SITES_LIBS) $(LIVE_PAGE_LIBS)
