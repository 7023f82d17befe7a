report_PROGRAM := tapereport
report_USES := tools/analyse tools/sums tools/report_html
report_ARCHIVE = $(REPORT_HTML) $(SUMS) $(ANALYSE)
report_LIBS := $(SITES_LIBS)
