t2chrome_USES := tools/export
t2chrome_ARCHIVE = $(EXPORT)
t2chrome_LIBS := $(SITES_LIBS)
