tapefit_USES := lib/correct lib/page
tapefit_ARCHIVE = $(CORRECT) $(PAGE)
tapefit_LIBS = $(SITES_LIBS) -lgsl -lgslcblas $(LUA_LIBS) -lpthread
$(eval $(call embedded,trial_parts.h,trial_part,style=tools/tapefit/trial.css))
$(B)/obj/tools/tapefit/trial_page.o: $(GEN)/trial_parts.h
