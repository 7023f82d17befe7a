/* Serves the live page by libmicrohttpd; see live_page.h. */
#include "live_page.h"

#ifndef TAPE_HAVE_MICROHTTPD

struct live_page *live_page_start(int port, int token, const char **why)
{
	(void)port;
	(void)token;
	*why = "no live page: this Tape was built without libmicrohttpd";
	return NULL;
}

const char *live_page_address(const struct live_page *p)
{
	(void)p;
	return "";
}

void live_page_publish(void *self, size_t program, const char *json)
{
	(void)self;
	(void)program;
	(void)json;
}

void live_page_stop(struct live_page *p)
{
	(void)p;
}

#else

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <time.h>

#include "html_page.h"
#include "live_parts.h"

/*
 * Limits: connections, event streams, seconds without activity of a connection,
 * bytes of a connection, programs. A token has 128 random bits.
 */
enum {
	CONNECTIONS = 24,
	CLIENTS = 16,
	IDLE_S = 20,
	MEMORY = 16384,
	PROGRAMS = 64,
	TOKEN_BYTES = 16
};

/* An event as it is sent, shared by the clients that receive it. */
struct text {
	size_t refs, n;
	char s[];
};

static const char before[] = "data: ", after[] = "\n\n";

/* A connection that receives events. */
struct client {
	struct client *next;
	struct live_page *page;
	struct MHD_Connection *connection;
	struct text *now; /* being sent; at: bytes sent */
	size_t at;
	uint64_t seen[PROGRAMS];
	int asleep;
};

struct live_page {
	struct MHD_Daemon *daemon;
	struct MHD_Response *html;
	char token[2 * TOKEN_BYTES + 1], address[128];
	pthread_mutex_t lock; /* protects the following fields */
	pthread_cond_t gone;  /* a client has left */
	struct text *last[PROGRAMS];
	uint64_t serial[PROGRAMS], count;
	struct client *clients;
	size_t n_clients;
	int over;
};

/* ---- events ---- */

static void release_event_text(struct text *t)
{
	if (t && !--t->refs)
		free(t);
}

/* Returns the oldest event that the client has not seen; NULL: none. */
static struct text *next_unseen_event(struct client *c)
{
	struct live_page *p = c->page;
	size_t best = PROGRAMS;

	for (size_t i = 0; i < PROGRAMS; i++)
		if (p->serial[i] > c->seen[i] &&
		    (best == PROGRAMS || p->serial[i] < p->serial[best]))
			best = i;
	if (best == PROGRAMS)
		return NULL;
	c->seen[best] = p->serial[best];
	p->last[best]->refs++;
	return p->last[best];
}

/* Called by the library for more bytes. Suspends the connection if there are
 * none. */
static ssize_t send_next_bytes(void *self, uint64_t pos, char *to, size_t room)
{
	struct client *c = self;
	ssize_t n = 0;

	(void)pos;
	pthread_mutex_lock(&c->page->lock);
	if (!c->now) {
		c->now = next_unseen_event(c);
		c->at = 0;
	}
	if (c->now) {
		size_t left = c->now->n - c->at;

		n = (ssize_t)(left < room ? left : room);
		memcpy(to, c->now->s + c->at, (size_t)n);
		c->at += (size_t)n;
		if (c->at == c->now->n) {
			release_event_text(c->now);
			c->now = NULL;
		}
	} else if (c->page->over) {
		n = MHD_CONTENT_READER_END_OF_STREAM;
	} else {
		c->asleep = 1;
		MHD_suspend_connection(c->connection);
	}
	pthread_mutex_unlock(&c->page->lock);
	return n;
}

static void remove_client(void *self)
{
	struct client *c = self, **at;
	struct live_page *p = c->page;

	pthread_mutex_lock(&p->lock);
	for (at = &p->clients; *at != c; at = &(*at)->next)
		;
	*at = c->next;
	p->n_clients--;
	release_event_text(c->now);
	pthread_cond_signal(&p->gone);
	pthread_mutex_unlock(&p->lock);
	free(c);
}

static void wake_clients(struct live_page *p)
{
	for (struct client *c = p->clients; c; c = c->next)
		if (c->asleep) {
			c->asleep = 0;
			MHD_resume_connection(c->connection);
		}
}

void live_page_publish(void *self, size_t program, const char *json)
{
	struct live_page *p = self;
	size_t n = strlen(json), b = sizeof before - 1, a = sizeof after - 1;
	struct text *t;

	if (program >= PROGRAMS)
		return;
	t = malloc(sizeof *t + b + n + a + 1);
	if (!t)
		return; /* this snapshot is dropped */
	t->refs = 1;
	t->n = b + n + a;
	memcpy(t->s, before, b);
	memcpy(t->s + b, json, n);
	memcpy(t->s + b + n, after, a + 1);
	/* an event must be one line */
	for (size_t i = b; i < b + n; i++)
		if (t->s[i] == '\n' || t->s[i] == '\r')
			t->s[i] = ' ';
	pthread_mutex_lock(&p->lock);
	release_event_text(p->last[program]);
	p->last[program] = t;
	p->serial[program] = ++p->count;
	wake_clients(p);
	pthread_mutex_unlock(&p->lock);
}

/* ---- responses ---- */

static void add_response_headers(struct MHD_Response *r, const char *type)
{
	static const char *const all[][2] = {
	    {"Cache-Control", "no-store"},
	    {"X-Content-Type-Options", "nosniff"},
	    {"Referrer-Policy", "no-referrer"}, /* the URL has the token */
	    {"Content-Security-Policy",
	     "default-src 'none'; style-src 'unsafe-inline'; script-src "
	     "'unsafe-inline'; connect-src 'self'; base-uri 'none'; "
	     "form-action 'none'; frame-ancestors 'none'"},
	};

	MHD_add_response_header(r, "Content-Type", type);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		MHD_add_response_header(r, all[i][0], all[i][1]);
}

/* Sends r and frees it. MHD_NO closes the connection. */
static enum MHD_Result send_response(struct MHD_Connection *c, unsigned status,
				     struct MHD_Response *r, const char *type)
{
	enum MHD_Result rc;

	if (!r)
		return MHD_NO;
	add_response_headers(r, type);
	rc = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result send_error(struct MHD_Connection *c, unsigned status,
				  const char *why)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(
	    strlen(why), (void *)(uintptr_t)why, MHD_RESPMEM_PERSISTENT);

	if (r && status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, "Allow", "GET");
	return send_response(c, status, r, "text/plain; charset=utf-8");
}

static enum MHD_Result start_event_stream(struct live_page *p,
					  struct MHD_Connection *c)
{
	struct client *k = calloc(1, sizeof *k);
	struct MHD_Response *r;

	if (!k)
		return MHD_NO;
	k->page = p;
	k->connection = c;
	pthread_mutex_lock(&p->lock);
	if (p->n_clients == CLIENTS || p->over) {
		pthread_mutex_unlock(&p->lock);
		free(k);
		return send_error(c, MHD_HTTP_SERVICE_UNAVAILABLE,
				  "too many connections to this page\n");
	}
	k->next = p->clients;
	p->clients = k;
	p->n_clients++;
	pthread_mutex_unlock(&p->lock);
	r = MHD_create_response_from_callback(
	    MHD_SIZE_UNKNOWN, 4096, send_next_bytes, k, remove_client);
	if (!r)
		remove_client(k);
	return send_response(c, MHD_HTTP_OK, r, "text/event-stream");
}

/* Sends the last snapshot of each program, as a JSON array, for scripts. */
static enum MHD_Result send_last_snapshots(struct live_page *p,
					   struct MHD_Connection *c)
{
	size_t n = 3, at = 0;
	char *s;

	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < PROGRAMS; i++)
		n += p->last[i] ? p->last[i]->n : 0;
	s = malloc(n);
	for (size_t i = 0; s && i < PROGRAMS; i++) {
		size_t k;

		if (!p->last[i])
			continue;
		k = p->last[i]->n - (sizeof before + sizeof after - 2);
		s[at] = at ? ',' : '[';
		memcpy(s + at + 1, p->last[i]->s + sizeof before - 1, k);
		at += k + 1;
	}
	pthread_mutex_unlock(&p->lock);
	if (!s)
		return MHD_NO;
	if (!at)
		s[at++] = '[';
	s[at++] = ']';
	s[at++] = '\n';
	return send_response(
	    c, MHD_HTTP_OK,
	    MHD_create_response_from_buffer(at, s, MHD_RESPMEM_MUST_FREE),
	    "application/json");
}

/* ---- access ---- */

/*
 * Returns 1 if the browser addressed this host by a local name. Otherwise a
 * foreign page may have its name resolve to this host (DNS rebinding).
 */
static int host_is_local(struct MHD_Connection *c)
{
	static const char *const names[] = {"127.0.0.1", "localhost"};
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
						       MHD_HTTP_HEADER_HOST);

	for (size_t i = 0; host && i < 2; i++) {
		size_t n = strlen(names[i]);

		if (!strncasecmp(host, names[i], n) &&
		    (!host[n] || host[n] == ':'))
			return 1;
	}
	return 0;
}

/* Returns the part of url after the token, or NULL. Its time does not depend on
 * the position of a wrong character. */
static const char *skip_token(const struct live_page *p, const char *url)
{
	size_t n = strlen(p->token);
	unsigned wrong = 0;

	if (*url++ != '/')
		return NULL;
	if (!n)
		return url;
	if (strlen(url) < n + 1)
		return NULL;
	for (size_t i = 0; i < n; i++)
		wrong |= (unsigned char)url[i] ^ (unsigned char)p->token[i];
	return wrong || url[n] != '/' ? NULL : url + n + 1;
}

static enum MHD_Result handle_request(void *self, struct MHD_Connection *c,
				      const char *url, const char *method,
				      const char *version, const char *data,
				      size_t *bytes, void **state)
{
	struct live_page *p = self;
	const char *what;

	(void)version;
	(void)data;
	(void)bytes;
	(void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET))
		return send_error(c, MHD_HTTP_METHOD_NOT_ALLOWED,
				  "only GET is supported\n");
	what = host_is_local(c) ? skip_token(p, url) : NULL;
	if (!what)
		return send_error(c, MHD_HTTP_FORBIDDEN,
				  "use the address that tapelive printed\n");
	if (!*what)
		return MHD_queue_response(c, MHD_HTTP_OK, p->html);
	if (!strcmp(what, "events"))
		return start_event_stream(p, c);
	if (!strcmp(what, "snapshots"))
		return send_last_snapshots(p, c);
	return send_error(c, MHD_HTTP_NOT_FOUND, "no such page\n");
}

/* ---- start and stop ---- */

static int make_token(char *text)
{
	unsigned char b[TOKEN_BYTES];

	if (getrandom(b, sizeof b, 0) != sizeof b)
		return 0;
	for (size_t i = 0; i < sizeof b; i++)
		snprintf(text + 2 * i, 3, "%02x", b[i]);
	return 1;
}

static void free_page(struct live_page *p)
{
	if (p->html)
		MHD_destroy_response(p->html);
	for (size_t i = 0; i < PROGRAMS; i++)
		release_event_text(p->last[i]);
	pthread_cond_destroy(&p->gone);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* Returns the response that is the page, or NULL when out of memory. */
static struct MHD_Response *create_page(void)
{
	static const struct html_page page = {
	    .style = HTML_PART(live_part_style),
	    .script = HTML_PART(live_part_script),
	    .has_server = 1,
	};
	struct MHD_Response *r = NULL;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return NULL;
	html_page_begin(f, &page, "tapelive");
	html_put_part(f, (struct html_part)HTML_PART(live_part_body));
	html_page_end(f, &page);
	if (!fclose(f))
		r = MHD_create_response_from_buffer(n, text,
						    MHD_RESPMEM_MUST_FREE);
	if (r)
		add_response_headers(r, "text/html; charset=utf-8");
	else
		free(text);
	return r;
}

static int start_listening(struct live_page *p, int port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	p->daemon = MHD_start_daemon(
	    MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME,
	    (uint16_t)port, NULL, NULL, handle_request, p, MHD_OPTION_SOCK_ADDR,
	    (struct sockaddr *)&at, MHD_OPTION_CONNECTION_LIMIT,
	    (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
	    (unsigned)IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
	    (size_t)MEMORY, MHD_OPTION_END);
	return p->daemon != NULL;
}

struct live_page *live_page_start(int port, int token, const char **why)
{
	struct live_page *p = calloc(1, sizeof *p);
	const union MHD_DaemonInfo *info;

	*why = "out of memory";
	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->gone, NULL);
	p->html = create_page();
	if (token && !make_token(p->token)) {
		*why = "no random bytes for the token";
	} else if (p->html && !start_listening(p, port)) {
		*why = errno == EADDRINUSE ? "the port is in use"
					   : "cannot listen on 127.0.0.1";
	} else if (p->html) {
		info =
		    MHD_get_daemon_info(p->daemon, MHD_DAEMON_INFO_BIND_PORT);
		snprintf(p->address, sizeof p->address,
			 "http://127.0.0.1:%u/%s%s",
			 info ? (unsigned)info->port : (unsigned)port, p->token,
			 *p->token ? "/" : "");
		return p;
	}
	free_page(p);
	return NULL;
}

const char *live_page_address(const struct live_page *p)
{
	return p->address;
}

void live_page_stop(struct live_page *p)
{
	struct timespec until;

	if (!p)
		return;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	pthread_mutex_lock(&p->lock);
	p->over = 1;
	wake_clients(p);
	while (p->n_clients &&
	       !pthread_cond_timedwait(&p->gone, &p->lock, &until))
		;
	pthread_mutex_unlock(&p->lock);
	MHD_stop_daemon(p->daemon);
	free_page(p);
}

#endif
