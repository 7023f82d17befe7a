tico_USES := tools/job tools/correct
tico_ARCHIVE = $(CORRECT) $(JOB)
tico_LIBS = $(SITES_LIBS) -lgsl -lgslcblas $(LUA_LIBS) -lpthread
tico_JOB := yes
