# A user's own model is run by LuaJIT.
ifneq ($(shell pkg-config --exists luajit 2>/dev/null && echo yes),)
$(B)/obj/tools/tico/lua.o: ours += -DTAPE_HAVE_LUA $(shell pkg-config --cflags luajit)
LUA_LIBS := $(shell pkg-config --libs luajit)
else
all: without-luajit
without-luajit: ; @echo "no luajit: tico -m takes no model in Lua (./deps installs libluajit-5.1-dev)"
.PHONY: without-luajit
endif
tico_LIBS := $(SITES_LIBS) -lgsl -lgslcblas $(LUA_LIBS) -lpthread
