taperaces_USES := lib/races
taperaces_ARCHIVE = $(RACES)
taperaces_LIBS := $(SITES_LIBS)
