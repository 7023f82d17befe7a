/* The task's side of clock sampling; see pvm_sample.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core.h"
#include "define.h"
#include "pvm.h"
#include "pvm_sample.h"
#include "message.h"

/* At the start and at the end, on a stack that is large enough. */
TAPE_ON_OWN_STACK

/* What the program has set, and gets back. */
struct kept {
	int context, sbuf, rbuf, auto_err, error;
	tape_pvm_match match;
};

static void save_state(struct kept *k)
{
	k->error = pvm_errno;
	k->auto_err = TAPE_REAL(pvm_setopt)(PvmAutoErr, 0);
	k->context = TAPE_REAL(pvm_getcontext)();
	/* declared as what it is not: see pvm.h */
	k->match = (tape_pvm_match)(void (*)(void))TAPE_REAL(pvm_recvf)(NULL);
	k->rbuf = TAPE_REAL(pvm_setrbuf)(0);
	k->sbuf = TAPE_REAL(pvm_setsbuf)(TAPE_REAL(pvm_mkbuf)(PvmDataRaw));
}

static void restore_state(const struct kept *k)
{
	TAPE_REAL(pvm_freebuf)(TAPE_REAL(pvm_setsbuf)(k->sbuf));
	TAPE_REAL(pvm_freebuf)(TAPE_REAL(pvm_setrbuf)(k->rbuf));
	TAPE_REAL(pvm_recvf)(k->match);
	TAPE_REAL(pvm_setcontext)(k->context);
	TAPE_REAL(pvm_setopt)(PvmAutoErr, k->auto_err);
	pvm_errno = k->error;
}

/*
 * Is that the domain of rank 0, by its file, and if key is not NULL, has it a
 * line of that? It was there before any task was spawned; where it cannot be
 * read there is nobody to ask either.
 */
static int is_reference(const char *domain, const char *key)
{
	char path[sizeof tape_process.dir + 16], line[1024], want[600];
	char word[512];
	int found = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/rank.0", tape_process.dir);
	f = fopen(path, "re");
	if (!f)
		return 0;
	snprintf(want, sizeof want, "domain %s\n",
		 tape_escape(word, sizeof word, domain));
	while (!found && fgets(line, sizeof line, f))
		found = !strcmp(line, want);
	while (found && key && fgets(line, sizeof line, f))
		if (!strncmp(line, key, strlen(key)))
			key = NULL;
	fclose(f);
	return found && !key;
}

int tape_pvm_is_rated(const char *domain)
{
	return is_reference(domain, "tick_hz ");
}

/* The server's tid and its context; it may be starting just now. */
static int find_server(int *server, int *context)
{
	char *name = secure_getenv(TAPE_PVM_CLOCKS);

	for (int i = 0; name && i < 20 * SAMPLE_SECONDS; i++) {
		if (TAPE_REAL(pvm_recvinfo)(name, 0, PvmMboxDefault) > 0) {
			TAPE_REAL(pvm_upkint)(server, 1, 1);
			TAPE_REAL(pvm_upkint)(context, 1, 1);
			return 0;
		}
		usleep(50000);
	}
	return -1;
}

static int request_sample(int server, const char *domain, int after)
{
	char word[512];

	TAPE_REAL(pvm_pkstr)(tape_process.dir);
	TAPE_REAL(pvm_pkstr)(tape_escape(word, sizeof word, domain));
	TAPE_REAL(pvm_pkint)(&after, 1, 1);
	return TAPE_REAL(pvm_send)(server, SAMPLE_ASK);
}

/* Answers until the server says that it is enough. */
static int answer_rounds(int server)
{
	struct timeval limit = { SAMPLE_SECONDS, 0 };
	unsigned long ticks[2];
	int buffer, bytes, tag, tid;

	for (;;) {
		buffer = TAPE_REAL(pvm_trecv)(server, -1, &limit);
		ticks[0] = tape_tick();
		if (buffer <= 0)
			return -1;
		TAPE_REAL(pvm_bufinfo)(buffer, &bytes, &tag, &tid);
		if (tag == SAMPLE_END)
			return 0;
		/* not pvm_initsend: the buffer is ours, its number stays */
		TAPE_REAL(pvm_freebuf)(TAPE_REAL(pvm_setsbuf)(
			TAPE_REAL(pvm_mkbuf)(PvmDataRaw)));
		ticks[1] = tape_tick();
		TAPE_REAL(pvm_pkulong)(ticks, 2, 1);
		if (TAPE_REAL(pvm_send)(server, SAMPLE_ROUND) < 0)
			return -1;
	}
}

void tape_pvm_sample(const char *domain, int after)
{
	unsigned phase = after ? TAPE_SAMPLING_AFTER : TAPE_SAMPLING_BEFORE;
	int server, context;
	struct kept k;

	if (!(tape_process.config.sampling & phase) ||
	    is_reference(domain, NULL))
		return;
	save_state(&k);
	if (find_server(&server, &context) ||
	    TAPE_REAL(pvm_setcontext)(context) < 0 ||
	    request_sample(server, domain, after) < 0 || answer_rounds(server))
		tape_say("task %x: the clock was not sampled: no reply from "
			 "taperun's clock server",
			 pvmmytid);
	restore_state(&k);
}
TAPE_ON_OWN_STACK_END
