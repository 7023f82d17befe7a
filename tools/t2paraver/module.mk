t2paraver_USES := lib/export
t2paraver_ARCHIVE = $(EXPORT)
t2paraver_LIBS := $(SITES_LIBS)
