stat_PROGRAM := tapestat
stat_USES := tools/analyse tools/sums
stat_ARCHIVE = $(SUMS) $(ANALYSE)
stat_LIBS := $(SITES_LIBS)
