t2chrome_USES := lib/export
t2chrome_ARCHIVE = $(EXPORT)
t2chrome_LIBS := $(SITES_LIBS)
