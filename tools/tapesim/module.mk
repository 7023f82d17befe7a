tapesim_USES := lib/actions lib/correct lib/predict
tapesim_ARCHIVE = $(PREDICT) $(CORRECT) $(ACTIONS)
tapesim_LIBS = $(SITES_LIBS) -lgsl -lgslcblas $(LUA_LIBS) $(ACTIONS_LIBS) $(EXPAT_LIBS) -lpthread
