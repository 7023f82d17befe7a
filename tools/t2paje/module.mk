t2paje_USES := lib/export
t2paje_ARCHIVE = $(EXPORT)
t2paje_LIBS := $(SITES_LIBS)
