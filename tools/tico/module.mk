tico_USES := lib/parallel lib/correct
tico_ARCHIVE = $(CORRECT)
tico_LIBS = $(SITES_LIBS) -lgsl -lgslcblas $(LUA_LIBS) -lpthread
tico_JOB := yes
