live_PROGRAM := tapelive
live_USES := tools/analyse tools/sums
live_ARCHIVE = $(SUMS) $(ANALYSE)
live_LIBS := $(SITES_LIBS)
