tapewhere_USES := lib/where
tapewhere_ARCHIVE = $(WHERE)
tapewhere_LIBS := $(SITES_LIBS)
