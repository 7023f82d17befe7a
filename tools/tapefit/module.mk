tapefit_USES := lib/correct
tapefit_ARCHIVE = $(CORRECT)
tapefit_LIBS = $(SITES_LIBS) -lgsl -lgslcblas $(LUA_LIBS) -lpthread
