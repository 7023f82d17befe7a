/*
 * Calls a user's Lua function; see lua_model.h. It gets the language and its
 * mathematics, strings and tables, but no files, processes or clocks: a model
 * shall give the same times today and tomorrow. Nor does it get what leads out
 * of the interpreter: no compiler, no bytecode, no coroutines (nested ones have
 * no limit and run over the stack), no finalizers. All that the model can have
 * a part in is a protected call, with limits of memory and time.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "escape.h"
#include "file_input.h"
#include "lua_model.h"
#include "output_cleanup.h"
#include "tool.h"

#ifdef TAPE_HAVE_LUA
#include <lauxlib.h>
#include <lualib.h>

#include "machine.h"

/* What a model may have: memory, and time of the processor for one call. */
enum { MIB_MAX = 256, SECONDS_MAX = 5 };

enum { FAULT_STACK = 1 << 16 };

struct own_model {
	lua_State *lua;
	const char *path;
	const struct tape_parcel *parcel; /* of the call in progress */
	lua_Alloc allocate;		  /* Lua's own, */
	void *its;			  /* and what it wants to get */
	size_t bytes;
	timer_t timer;
};

/* ---- limits ---- */

/*
 * Of the one model, for the signal handler: how many calls began, how many of
 * its seconds the one in progress has seen, and what to say at the end.
 */
static volatile unsigned calls, calls_seen, seconds;
static char last_words[4400], crash_words[4400];

/*
 * Every second of processor time of this thread. Lua itself can count its
 * instructions, but neither those of compiled loops nor those within its
 * library.
 */
static void at_second(int number)
{
	(void)number;
	if (calls != calls_seen)
		seconds = 0;
	calls_seen = calls;
	if (!(calls & 1) || ++seconds < SECONDS_MAX)
		return;
	if (write(STDERR_FILENO, last_words, strlen(last_words)) < 0)
		seconds = 0; /* nobody reads it */
	tape_cleanup_remove_all();
	_exit(TAPE_FAILED);
}

/*
 * A fault of the interpreter: a sentence, and no output. Any other fault is as
 * it would be.
 */
static void at_fault(int number)
{
	if (!(calls & 1)) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	if (write(STDERR_FILENO, crash_words, strlen(crash_words)) < 0)
		seconds = 0;
	tape_cleanup_remove_all();
	_exit(TAPE_FAILED);
}

static void catch_faults(const struct own_model *own)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
	/* the fault may be that the stack is full */
	stack_t own_stack = {.ss_sp = tape_must(malloc(FAULT_STACK)),
			     .ss_size = FAULT_STACK};
	struct sigaction a = {.sa_handler = at_fault,
			      .sa_flags = SA_ONSTACK | SA_NODEFER};
	char path[4000];

	snprintf(crash_words, sizeof crash_words,
		 "tico: %s: the Lua interpreter crashed\n",
		 tape_clean(own->path, path, sizeof path));
	if (sigaltstack(&own_stack, NULL))
		tape_die(TAPE_FAILED, "%s", strerror(errno));
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigaction(faults[i], &a, NULL);
}

static void start_timer(struct own_model *own)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
				 .sigev_signo = SIGVTALRM};
	struct itimerspec each = {{1, 0}, {1, 0}};
	struct sigaction a = {.sa_handler = at_second, .sa_flags = SA_RESTART};
	char path[4000];

	snprintf(last_words, sizeof last_words,
		 "tico: %s: a call took more than %d s; stopped\n",
		 tape_clean(own->path, path, sizeof path), SECONDS_MAX);
	sigfillset(&a.sa_mask);
	if (sigaction(SIGVTALRM, &a, NULL) ||
	    timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &own->timer) ||
	    timer_settime(own->timer, 0, &each, NULL))
		tape_die(TAPE_FAILED, "%s", strerror(errno));
}

/* odd while the model is at work */
static int call_guarded(struct own_model *own, int arguments, int results)
{
	int rc;

	calls++;
	rc = lua_pcall(own->lua, arguments, results, 0);
	calls++;
	return rc;
}

/* As lua_Alloc. */
static void *allocate_limited(void *of, void *p, size_t old, size_t wanted)
{
	struct own_model *own = of;
	size_t before = p ? old : 0;
	void *q;

	if (wanted > before && own->bytes + (wanted - before) > (size_t)MIB_MAX
								    << 20)
		return NULL;
	q = own->allocate(own->its, p, old, wanted);
	if (!q && wanted)
		return NULL;
	/* what was there before is freed, too, but was not counted */
	if (before > wanted && before - wanted > own->bytes)
		own->bytes = 0;
	else
		own->bytes += wanted - before;
	return q;
}

/* ---- the model ---- */

/* The message on top of the stack, which names file and line by itself. */
static void die_of_lua(struct own_model *own, int rc)
{
	const char *text;
	char clean[1000];

	/* a number becomes a text there, which takes memory */
	own->bytes = 0;
	text = lua_tostring(own->lua, -1);
	if (rc == LUA_ERRMEM)
		tape_die(TAPE_FAILED, "%s: needs more than %d MiB of memory",
			 own->path, MIB_MAX);
	if (!text)
		tape_die(TAPE_FAILED, "%s: an error without a text", own->path);
	tape_die(TAPE_FAILED, "%s", tape_clean(text, clean, sizeof clean));
}

/* What reads files, runs other text or takes over the interpreter. */
static const char *const banned[] = {
    "dofile", "load",		"loadfile", "loadstring", "require", "module",
    "print",  "collectgarbage", "gcinfo",   "coroutine",  "newproxy"};

static void open_libraries(lua_State *lua)
{
	static const struct {
		const char *name;
		lua_CFunction open;
	} libraries[] = {{"", luaopen_base},
			 {LUA_MATHLIBNAME, luaopen_math},
			 {LUA_STRLIBNAME, luaopen_string},
			 {LUA_TABLIBNAME, luaopen_table},
			 {LUA_BITLIBNAME, luaopen_bit}};

	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		lua_pushcfunction(lua, libraries[i].open);
		lua_pushstring(lua, libraries[i].name);
		lua_call(lua, 1, 0);
	}
	for (size_t i = 0; i < sizeof banned / sizeof *banned; i++) {
		lua_pushnil(lua);
		lua_setglobal(lua, banned[i]);
	}
	/* bytecode */
	lua_getglobal(lua, LUA_STRLIBNAME);
	lua_pushnil(lua);
	lua_setfield(lua, -2, "dump");
	lua_pop(lua, 1);
}

/* Its upvalues: what the model is to us, and its function. */
static int call_transit(lua_State *lua)
{
	const struct own_model *own = lua_touserdata(lua, lua_upvalueindex(1));
	const struct tape_parcel *p = own->parcel;

	lua_pushvalue(lua, lua_upvalueindex(2));
	lua_pushnumber(lua, (double)p->bytes);
	lua_pushnumber(lua, p->load_bytes);
	lua_pushstring(lua, tape_distance_name[tape_transport(p->distance)]);
	lua_pushstring(lua, p->rendezvous ? "rendezvous" : "eager");
	lua_pushstring(lua, tape_distance_name[p->distance]);
	lua_call(lua, 5, 1);
	return 1;
}

/* call_transit, or nil: the model has no function of that name. */
static int find_transit(lua_State *lua)
{
	lua_getglobal(lua, "transit");
	if (!lua_isfunction(lua, -1))
		return 0;
	lua_pushvalue(lua, lua_upvalueindex(1));
	lua_insert(lua, -2);
	lua_pushcclosure(lua, call_transit, 2);
	return 1;
}

static int handle_panic(lua_State *lua)
{
	(void)lua;
	tape_die(TAPE_FAILED, "the Lua interpreter failed");
}

/* Compiles the file; text only: nobody checks bytecode. */
static void load_model(struct own_model *own)
{
	FILE *f = tape_file_input(own->path);
	char *text = NULL, name[4300];
	size_t n = 0;
	int rc;

	if (getdelim(&text, &n, EOF, f) < 0 && ferror(f))
		tape_die(TAPE_FAILED, "%s: %s", own->path, strerror(errno));
	n = (size_t)ftell(f);
	fclose(f);
	snprintf(name, sizeof name, "@%s", own->path);
	rc = luaL_loadbufferx(own->lua, text ? text : "", n, name, "t");
	free(text);
	if (!rc)
		rc = call_guarded(own, 0, 0);
	if (rc)
		die_of_lua(own, rc);
}

struct own_model *own_model_open(const char *path)
{
	struct own_model *own = calloc(1, sizeof *own);
	lua_State *lua = luaL_newstate();
	int rc;

	if (!own || !lua)
		tape_die_no_memory();
	own->lua = lua;
	own->path = path;
	lua_atpanic(lua, handle_panic);
	open_libraries(lua);
	lua_pushlightuserdata(lua, own);
	lua_pushcclosure(lua, find_transit, 1);
	own->allocate = lua_getallocf(lua, &own->its);
	lua_setallocf(lua, allocate_limited, own);
	start_timer(own);
	catch_faults(own);
	load_model(own);
	rc = call_guarded(own, 0, 1);
	if (rc)
		die_of_lua(own, rc);
	if (!lua_isfunction(lua, -1))
		tape_die(TAPE_FAILED, "%s: has no function transit", path);
	/* stays at the bottom of the stack */
	return own;
}

double own_model_transit(void *context, const struct tape_parcel *p)
{
	struct own_model *own = context;
	lua_State *lua = own->lua;
	double ns;
	int rc;

	own->parcel = p;
	lua_pushvalue(lua, 1);
	rc = call_guarded(own, 0, 1);
	if (rc)
		die_of_lua(own, rc);
	if (lua_type(lua, -1) != LUA_TNUMBER)
		tape_die(TAPE_FAILED,
			 "%s: transit returned a %s for %llu "
			 "bytes, not a number",
			 own->path, luaL_typename(lua, -1),
			 (unsigned long long)p->bytes);
	ns = lua_tonumber(lua, -1);
	if (!(ns >= 0 && ns <= 1e15))
		tape_die(TAPE_FAILED,
			 "%s: transit returned %g ns for %llu "
			 "bytes, not 0 to 1e15",
			 own->path, ns, (unsigned long long)p->bytes);
	lua_pop(lua, 1);
	return ns;
}

void own_model_close(struct own_model *own)
{
	if (own) {
		timer_delete(own->timer);
		lua_setallocf(own->lua, own->allocate, own->its);
		lua_close(own->lua);
	}
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
