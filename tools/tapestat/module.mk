tapestat_USES := plugin lib/parallel lib/waits lib/profile lib/plugin
tapestat_ARCHIVE = $(PROFILE) $(PLUGIN) $(WAITS)
tapestat_LIBS := $(SITES_LIBS) -lpthread
tapestat_JOB := yes
