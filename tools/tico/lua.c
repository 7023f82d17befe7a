/*
 * Calls a user's Lua function; see lua.h. It gets the language and its
 * mathematics, strings and tables, but no files, processes or clocks: a model
 * shall give the same times today and tomorrow.
 */
#include <stdlib.h>

#include "lua.h"
#include "message.h"

#ifdef TAPE_HAVE_LUA
#include <lauxlib.h>
#include <lualib.h>
#include <luajit.h>

#include "machine.h"

struct own_model {
	lua_State *lua;
	const char *path;
};

/* The message on top of the stack, which names file and line by itself. */
static void fail(const struct own_model *own)
{
	const char *text = lua_tostring(own->lua, -1);

	if (!text)
		tape_die(TAPE_FAILED, "%s: an error without a text", own->path);
	tape_die(TAPE_FAILED, "%s", text);
}

/* What reads files, runs other text or takes over the interpreter. */
static const char *const banned[] = { "dofile", "load", "loadfile",
				      "loadstring", "require",
				      "module", "print", "collectgarbage" };

static void open_libraries(lua_State *lua)
{
	static const struct {
		const char *name;
		lua_CFunction open;
	} libraries[] = { { "", luaopen_base },
			  { LUA_MATHLIBNAME, luaopen_math },
			  { LUA_STRLIBNAME, luaopen_string },
			  { LUA_TABLIBNAME, luaopen_table },
			  { LUA_BITLIBNAME, luaopen_bit },
			  { LUA_JITLIBNAME, luaopen_jit } };

	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		lua_pushcfunction(lua, libraries[i].open);
		lua_pushstring(lua, libraries[i].name);
		lua_call(lua, 1, 0);
	}
	for (size_t i = 0; i < sizeof banned / sizeof *banned; i++) {
		lua_pushnil(lua);
		lua_setglobal(lua, banned[i]);
	}
}

struct own_model *own_model_open(const char *path)
{
	struct own_model *own = calloc(1, sizeof *own);
	lua_State *lua = luaL_newstate();

	if (!own || !lua)
		tape_die(TAPE_FAILED, "out of memory");
	own->lua = lua;
	own->path = path;
	open_libraries(lua);
	/* text only: nobody checks bytecode */
	if (luaL_loadfilex(lua, path, "t") || lua_pcall(lua, 0, 0, 0))
		fail(own);
	lua_getglobal(lua, "transit");
	if (!lua_isfunction(lua, -1))
		tape_die(TAPE_FAILED, "%s: has no function transit", path);
	/* stays at the bottom of the stack */
	return own;
}

double own_model_transit(void *context, const struct tape_parcel *p)
{
	const struct own_model *own = context;
	lua_State *lua = own->lua;
	double ns;

	lua_pushvalue(lua, 1);
	lua_pushnumber(lua, (double)p->bytes);
	lua_pushnumber(lua, p->load_bytes);
	lua_pushstring(lua, tape_distance_name[p->distance]);
	lua_pushstring(lua, p->rendezvous ? "rendezvous" : "eager");
	if (lua_pcall(lua, 4, 1, 0))
		fail(own);
	if (lua_type(lua, -1) != LUA_TNUMBER)
		tape_die(TAPE_FAILED, "%s: transit returned a %s for %llu "
			 "bytes, not a number", own->path,
			 luaL_typename(lua, -1), (unsigned long long)p->bytes);
	ns = lua_tonumber(lua, -1);
	if (!(ns >= 0 && ns <= 1e15))
		tape_die(TAPE_FAILED, "%s: transit returned %g ns for %llu "
			 "bytes, not 0 to 1e15", own->path, ns,
			 (unsigned long long)p->bytes);
	lua_pop(lua, 1);
	return ns;
}

void own_model_close(struct own_model *own)
{
	if (own)
		lua_close(own->lua);
	free(own);
}

#else

struct own_model *own_model_open(const char *path)
{
	tape_die(TAPE_FAILED, "%s: this tico was built without LuaJIT", path);
}

double own_model_transit(void *own, const struct tape_parcel *p)
{
	(void)own;
	(void)p;
	return 0;
}

void own_model_close(struct own_model *own)
{
	(void)own;
}

#endif
