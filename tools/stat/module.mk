stat_PROGRAM := tapestat
stat_USES := plugin tools/analyse tools/sums tools/plugin
stat_ARCHIVE = $(SUMS) $(PLUGIN) $(ANALYSE)
stat_LIBS := $(SITES_LIBS)
