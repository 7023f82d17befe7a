/* Records that another version of Tape wrote: what meta says of them. */
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "record.h"
#include "tap.h"

static struct tape_layout *l;
static const char *what;

static int line(const char *text)
{
	what = "";
	return tape_layout_line(&l, text, &what);
}

static void renew(const char *text)
{
	free(l);
	l = NULL;
	if (line(text))
		exit(2);
}

/* The varints as a record of that class; by how many bytes it is longer. */
static int decode(unsigned class_, const uint64_t *v, int n,
		  union tape_fields *u, int same)
{
	unsigned char room[256], *end = room;
	const unsigned char *p;

	for (int i = 0; i < n; i++)
		end = tape_put_varint(end, v[i]);
	p = tape_layout_decode(&l->of[class_], room, end, u, same);
	return p ? (int)(end - p) : -1;
}

static void lines(void)
{
	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++)
		if (line(tape_class_layout(c)))
			exit(2);
	ok(!l, "what is in force here makes none");
	ok(!line("telepathy peer:int") && !l, "nor does a class unknown here");
	ok(line("") == TAPE_EFORMAT && line("+") == TAPE_EFORMAT, "no name");
	ok(line("send peer") == TAPE_EFORMAT, "no encoding");
	ok(line("send peer:int / tag:int / comm:u32") == TAPE_EFORMAT,
	   "two slashes");
	ok(line("send peer:f64") == TAPE_EVERSION && *what, "an encoding");
	ok(line("+send peer:int") == TAPE_EVERSION && *what, "requests");
}

static void records(void)
{
	union tape_fields u;

	memset(&u, 0, sizeof u);
	renew("send comm:u32 colour:u64 tag:int / bytes:u64 when:u64");
	ok(!decode(TAPE_CLASS_SEND,
		   (uint64_t[]){ 7, 1ull << 40, tape_zigzag(-3), 900, 1 }, 5,
		   &u, 0) &&
		   u.send.comm == 7 && u.send.tag == -3 &&
		   u.send.bytes == 900 && !u.send.peer,
	   "other order, one field less and two more");
	ok(!decode(TAPE_CLASS_SEND, (uint64_t[]){ 901, 1 }, 2, &u, 1) &&
		   u.send.comm == 7 && u.send.tag == -3 && u.send.bytes == 901,
	   "the same operands again");
	ok(decode(TAPE_CLASS_SEND, (uint64_t[]){ 7, 1, 2, 3 }, 4, &u, 0) == -1,
	   "cut");
	ok(decode(TAPE_CLASS_SEND, (uint64_t[]){ 1ull << 32, 1, 2, 3, 4 }, 5,
		  &u, 0) == -1,
	   "32 bits are 32 bits");
	renew("send comm:u64 peer:int");
	ok(decode(TAPE_CLASS_SEND, (uint64_t[]){ 1ull << 32, 1 }, 2, &u, 0) ==
		   -1,
	   "what does not fit here is not cut");
	renew("recv peer:int tag:int comm:u32 / bytes:u64");
	memset(&u, 0, sizeof u);
	ok(!decode(TAPE_CLASS_RECV,
		   (uint64_t[]){ tape_zigzag(2), tape_zigzag(5), 1, 64 }, 4, &u,
		   0) &&
		   u.recv.peer == 2 && u.recv.bytes == 64 &&
		   u.recv.arrived == 2 && !u.recv.probe,
	   "a version that did not ask");
	free(l);
}

int main(void)
{
	lines();
	records();
	return done();
}
