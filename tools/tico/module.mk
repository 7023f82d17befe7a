tico_USES := tools/correct
tico_ARCHIVE = $(CORRECT)
tico_LIBS = $(SITES_LIBS) -lgsl -lgslcblas $(LUA_LIBS) -lpthread
