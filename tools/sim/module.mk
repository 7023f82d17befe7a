sim_PROGRAM := tapesim
sim_USES := tools/actions tools/correct
sim_ARCHIVE = $(CORRECT) $(ACTIONS)
sim_LIBS = $(SITES_LIBS) -lgsl -lgslcblas $(LUA_LIBS) $(ACTIONS_LIBS) $(EXPAT_LIBS) -lpthread
# Our own engine reads platforms with expat.
ifneq ($(shell $(CC) -include expat.h -E -x c /dev/null >/dev/null 2>&1 && echo yes),)
$(B)/obj/tools/sim/sim_platform.o: ours += -DTAPE_HAVE_EXPAT
EXPAT_LIBS := -lexpat
else
all: without-expat
without-expat: ; @echo "no expat: tapesim's own engine reads no platforms (./deps installs libexpat1-dev)"
.PHONY: without-expat
endif
