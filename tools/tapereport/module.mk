tapereport_USES := lib/parallel lib/waits lib/profile lib/page
tapereport_ARCHIVE = $(PAGE) $(PROFILE) $(WAITS)
tapereport_LIBS := $(SITES_LIBS)
