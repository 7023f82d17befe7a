stat_PROGRAM := tapestat
stat_USES := plugin tools/job tools/analyse tools/sums tools/plugin
stat_ARCHIVE = $(SUMS) $(PLUGIN) $(ANALYSE) $(JOB)
stat_LIBS := $(SITES_LIBS)
stat_JOB := yes
