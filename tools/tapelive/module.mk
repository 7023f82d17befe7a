tapelive_USES := plugin lib/parallel lib/waits lib/profile lib/plugin lib/window lib/page lib/live
tapelive_ARCHIVE = $(LIVE) $(PAGE) $(PROFILE) $(PLUGIN) $(WAITS) $(WINDOW)
tapelive_LIBS := $(SITES_LIBS) $(LIVE_PAGE_LIBS)
