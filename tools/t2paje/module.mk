t2paje_USES := tools/export
t2paje_ARCHIVE = $(EXPORT)
t2paje_LIBS := $(SITES_LIBS)
