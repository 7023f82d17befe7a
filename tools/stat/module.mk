stat_PROGRAM := tapestat
stat_USES := tools/analyse
stat_ARCHIVE = $(ANALYSE)
stat_LIBS := $(SITES_LIBS)
