/* What a communicator stands for; see comm_level.h. */
#include "comm_level.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agreement.h"
#include "own_position.h"
#include "tape_hsplit.h"

_Static_assert(TAPE_MAX_HLEVEL == TAPE_LEVEL_MAX, "types are as long");

/* A type that some communicator has, or had: callers keep its address. */
struct type {
	struct type *next;
	char name[TAPE_LEVEL_MAX];
};

struct tape_comm_level {
	int num_comms, index;
	const char *type;
	struct type *room; /* for a type that is new */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct type *types;
static int keyval = MPI_KEYVAL_INVALID, at_end = MPI_KEYVAL_INVALID;

static int copy_level(MPI_Comm comm, int key, void *extra, void *from, void *to,
		      int *flag)
{
	struct tape_comm_level *l = malloc(sizeof *l);

	(void)comm, (void)key, (void)extra;
	if (!l)
		return MPI_ERR_NO_MEM;
	memcpy(l, from, sizeof *l);
	*(void **)to = l;
	*flag = 1;
	return MPI_SUCCESS;
}

static int delete_level(MPI_Comm comm, int key, void *level, void *extra)
{
	(void)comm, (void)key, (void)extra;
	free(level);
	return MPI_SUCCESS;
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first of all. */
static int free_types(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm, (void)key, (void)value, (void)extra;
	pthread_mutex_lock(&lock);
	while (types) {
		struct type *next = types->next;

		free(types);
		types = next;
	}
	MPI_Comm_free_keyval(&keyval);
	MPI_Comm_free_keyval(&at_end);
	pthread_mutex_unlock(&lock);
	tape_free_levels();
	return MPI_SUCCESS;
}

/* The key under which levels are cached; *rc: what an MPI function returned. */
static int get_keyval(int *rc)
{
	int key;

	*rc = MPI_SUCCESS;
	pthread_mutex_lock(&lock);
	if (keyval == MPI_KEYVAL_INVALID) {
		*rc = MPI_Comm_create_keyval(copy_level, delete_level, &keyval,
					     NULL);
		if (*rc == MPI_SUCCESS)
			*rc = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN,
						     free_types, &at_end, NULL);
		if (*rc == MPI_SUCCESS)
			*rc = MPI_Comm_set_attr(MPI_COMM_SELF, at_end, NULL);
	}
	key = keyval;
	pthread_mutex_unlock(&lock);
	return key;
}

struct tape_comm_level *tape_level_new(void)
{
	struct tape_comm_level *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->room = malloc(sizeof *l->room);
	if (!l->room) {
		free(l);
		return NULL;
	}
	return l;
}

void tape_level_drop(struct tape_comm_level *l)
{
	if (l)
		free(l->room);
	free(l);
}

/* The type's text; takes *room, which becomes NULL, if it is new. */
static const char *known_type(const char *type, struct type **room)
{
	struct type *t;

	pthread_mutex_lock(&lock);
	for (t = types; t && strcmp(t->name, type) != 0; t = t->next)
		;
	if (!t && *room) {
		t = *room;
		*room = NULL;
		strcpy(t->name, type);
		t->next = types;
		types = t;
	}
	pthread_mutex_unlock(&lock);
	return t ? t->name : NULL;
}

const char *tape_level_type(const char type[TAPE_LEVEL_MAX])
{
	struct type *room = malloc(sizeof *room);
	const char *text;
	int rc;

	get_keyval(&rc); /* whose end frees the types */
	text = known_type(type, &room);
	free(room);
	return text;
}

int tape_level_set(MPI_Comm comm, struct tape_comm_level *l, int num_comms,
		   int index, const char type[TAPE_LEVEL_MAX])
{
	int rc, key = get_keyval(&rc);

	l->num_comms = num_comms;
	l->index = index;
	l->type = known_type(type, &l->room);
	free(l->room);
	l->room = NULL;
	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_set_attr(comm, key, l);
	if (rc)
		free(l);
	return rc;
}

int tape_get_hlevel_info(MPI_Comm comm, int *num_comms, int *index,
			 const char **type)
{
	const struct tape_comm_level *l = NULL;
	int has = 0, rc = tape_usable(comm), key;

	if (rc)
		return rc;
	key = get_keyval(&rc);
	if (rc == MPI_SUCCESS)
		rc = MPI_Comm_get_attr(comm, key, &l, &has);
	if (rc)
		return rc;
	if (!has)
		return tape_fault_raise(comm, TAPE_FAULT_ARGUMENT);
	if (num_comms)
		*num_comms = l->num_comms;
	if (index)
		*index = l->index;
	if (type)
		*type = l->type;
	return MPI_SUCCESS;
}
