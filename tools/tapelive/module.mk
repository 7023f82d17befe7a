tapelive_USES := plugin lib/parallel lib/waits lib/profile lib/plugin lib/window lib/page lib/where lib/live
tapelive_ARCHIVE = $(LIVE) $(WHERE) $(PAGE) $(PROFILE) $(PLUGIN) $(WAITS) $(WINDOW)
tapelive_LIBS := $(SITES_LIBS) $(LIVE_PAGE_LIBS)
