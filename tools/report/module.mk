report_PROGRAM := tapereport
report_USES := tools/job tools/analyse tools/sums tools/report_html
report_ARCHIVE = $(REPORT_HTML) $(SUMS) $(ANALYSE) $(JOB)
report_LIBS := $(SITES_LIBS)
