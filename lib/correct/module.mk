# Times without the cost of tracing, and models of messages.
$(eval $(call library,correct,reader lib/common lib/model lib/parallel lib/replay catalogue))
CORRECT := $(correct_LIBRARY)
# A user's own model is run by LuaJIT.
ifneq ($(shell pkg-config --exists luajit 2>/dev/null && echo yes),)
$(B)/obj/lib/correct/lua_model.o: ours += -DTAPE_HAVE_LUA $(shell pkg-config --cflags luajit)
LUA_LIBS := $(shell pkg-config --libs luajit)
else
all: without-luajit
without-luajit: ; @echo "no luajit: tico -m takes no model in Lua (./deps installs libluajit-5.1-dev)"
.PHONY: without-luajit
endif
