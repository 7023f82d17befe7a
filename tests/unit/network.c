/*
 * Switches above hosts from a file: coordinates and Slurm's topology.conf. What
 * is expected is written by hand.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "error.h"
#include "folder.h"
#include "host_list.h"
#include "network.h"
#include "tap.h"

static char listed[4096];

static int list_one(void *of, const char *name)
{
	(void)of;
	if (*listed)
		strcat(listed, " ");
	strcat(listed, name);
	return 0;
}

static void lists(void)
{
	static const char *const good[][2] = {
	    {"a", "a"},
	    {"a,b", "a b"},
	    {"n[0-3]", "n0 n1 n2 n3"},
	    {"n[08-11]", "n08 n09 n10 n11"},
	    {"n[8-11]", "n8 n9 n10 n11"},
	    {"n[00-02,10,007]x,m", "n00x n01x n02x n10x n007x m"},
	    {"r[1-2]n[0,3]", "r1n0 r1n3 r2n0 r2n3"},
	    {"[5-6]", "5 6"},
	    {"a[1][2]b", "a12b"},
	    {"rack[0-1].c[1-2].org", "rack0.c1.org rack0.c2.org rack1.c1.org "
				     "rack1.c2.org"},
	};
	static const char *const bad[][2] = {
	    {"", "empty name"},
	    {"a,,b", "empty name"},
	    {"a,", "empty name"},
	    {"n[", "expected a number"},
	    {"n[]", "expected a number"},
	    {"n[1", "expected , or ]"},
	    {"n[1-]", "after -"},
	    {"n[1-2", "expected , or ]"},
	    {"n[1,]", "expected a number"},
	    {"n[a]", "expected a number"},
	    {"n[1-2-3]", "expected , or ]"},
	    {"n[3-1]", "ends before"},
	    {"n1]", "without ["},
	    {"n[[1]]", "expected a number"},
	    {"a/b", "invalid character"},
	    {"a\tb", "invalid character"},
	    {"n[0-9999999999]", "9 digits"},
	    {"n[0-999999999]", "more than 262144"},
	    {"n[0-999][0-999]", "more than 262144"},
	    {"n[0-262144]", "more than 262144"},
	    {"n[0-99999,0-99999,0-99999]", "more than 262144"},
	};
	const char *what;
	char longest[300];
	int e;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		*listed = '\0';
		e = tape_host_list(good[i][0], list_one, NULL, &what);
		ok(e == 0 && !strcmp(listed, good[i][1]), "%s: %s", good[i][0],
		   listed);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		what = "";
		*listed = '\0';
		e = tape_host_list(bad[i][0], list_one, NULL, &what);
		ok(e == TAPE_EFORMAT && strstr(what, bad[i][1]), "'%s': %s",
		   bad[i][0], what);
	}
	memset(longest, 'x', sizeof longest);
	longest[255] = '\0';
	*listed = '\0';
	e = tape_host_list(longest, list_one, NULL, &what);
	ok(e == 0, "a name of 255 bytes");
	longest[255] = 'x';
	longest[256] = '\0';
	e = tape_host_list(longest, list_one, NULL, &what);
	ok(e == TAPE_EFORMAT && strstr(what, "255"), "of 256: %s", what);
	memcpy(longest + 250, "[000001]", 9);
	e = tape_host_list(longest, list_one, NULL, &what);
	ok(e == TAPE_EFORMAT && strstr(what, "255"), "of 250 and 6 digits: %s",
	   what);
}

static struct tape_network *parse(const char *text)
{
	struct tape_network_fault fault;
	struct tape_network *n;
	char *copy = strdup(text);
	int e = tape_network_parse(&n, copy, &fault);

	ok(e == 0, "read: %s, line %u", e ? fault.what : "well", fault.line);
	free(copy);
	return n;
}

static void is_at(const struct tape_network *n, const char *host,
		  const char *way)
{
	char position[TAPE_POSITION_MAX], truth[TAPE_POSITION_MAX];

	tape_network_position(n, host, position);
	snprintf(truth, sizeof truth, "Cluster/%sMachine:%s", way, host);
	ok(!strcmp(position, truth), "%s is at %s", host, position);
}

static void coordinates(void)
{
	struct tape_network *n = parse("# a comment\n"
				       "\n"
				       "levels Switch2 Switch1 # widest first\n"
				       "dims 2 4\r\n"
				       "node[00-01] 0 0\n"
				       "  node02,node03\t0 \\\n"
				       "   1\n"
				       "node04 1 03\n"
				       "a.x.org 1 2\n"
				       "b.x.org 0 2\n"
				       "b.y.org 0 3\n"
				       "b 1 0\n"
				       "c.x.org 0 0\n"
				       "c.y.org 1 1");

	ok(tape_network_levels(n) == 2, "two levels");
	ok(!strcmp(tape_network_level(n, 0), "Switch2") &&
	       !strcmp(tape_network_level(n, 1), "Switch1"),
	   "the widest first");
	is_at(n, "node00", "Switch2:0/Switch1:0/");
	is_at(n, "node01", "Switch2:0/Switch1:0/");
	is_at(n, "node02", "Switch2:0/Switch1:1/");
	is_at(n, "node03", "Switch2:0/Switch1:1/");
	is_at(n, "node04", "Switch2:1/Switch1:3/");
	is_at(n, "node04.some.org", "Switch2:1/Switch1:3/");
	is_at(n, "node05", "");
	is_at(n, "node0", "");
	is_at(n, "Node00", "");
	is_at(n, "a", "Switch2:1/Switch1:2/");
	is_at(n, "a.x.org", "Switch2:1/Switch1:2/");
	is_at(n, "a.y.org", "");
	is_at(n, "b.x.org", "Switch2:0/Switch1:2/");
	is_at(n, "b.y.org", "Switch2:0/Switch1:3/");
	is_at(n, "b", "Switch2:1/Switch1:0/");
	is_at(n, "b.z.org", "Switch2:1/Switch1:0/");
	is_at(n, "c", ""); /* which of the two? */
	is_at(n, "", "");
	is_at(n, ".", "");
	ok(!strcmp(tape_network_host(n, 0), "node00") &&
	       !strcmp(tape_network_host(n, 4), "node04") &&
	       !strcmp(tape_network_host(n, 10), "c.y.org") &&
	       !tape_network_host(n, 11),
	   "hosts in the file's order");
	tape_network_free(n);

	n = parse("levels\nx,y\n");
	ok(tape_network_levels(n) == 0, "hosts without switches");
	is_at(n, "x", "");
	tape_network_free(n);
}

static void slurm(void)
{
	struct tape_network *n =
	    parse("##\n"
		  "SwitchName=top switches=s[0-1],S2\n"
		  "switchname=s0 NODES=n[00-01] LinkSpeed=900\n"
		  "SWITCHNAME=s1 \\\n"
		  "  Nodes=n[02-03],m\n"
		  "SwitchName=S2 Switches=deep Description=far\n"
		  "SwitchName=deep Nodes=d[1-2]\n"
		  "SwitchName=lone Nodes=alone\n");

	ok(tape_network_levels(n) == 3, "three levels");
	ok(!strcmp(tape_network_level(n, 0), "Switch3") &&
	       !strcmp(tape_network_level(n, 2), "Switch1"),
	   "with names");
	is_at(n, "n00", "Switch3:top/Switch1:s0/");
	is_at(n, "n01", "Switch3:top/Switch1:s0/");
	is_at(n, "n02", "Switch3:top/Switch1:s1/");
	is_at(n, "m", "Switch3:top/Switch1:s1/");
	is_at(n, "d2", "Switch3:top/Switch2:S2/Switch1:deep/");
	is_at(n, "alone", "Switch1:lone/");
	is_at(n, "else", "");
	tape_network_free(n);
}

static void faults(void)
{
	static const struct {
		const char *text, *what;
		unsigned line;
	} bad[] = {
	    {"", "is empty", 0},
	    {"\n# only this\n", "is empty", 0},
	    {"node0 0 0\n", "expected levels", 1},
	    {"\nlevels A A\n", "two levels", 2},
	    {"levels A a\n", "two levels", 1},
	    {"levels A Machine\n", "predefined", 1},
	    {"levels A:b\n", "invalid character", 1},
	    {"levels A/b\n", "invalid character", 1},
	    {"levels A\nlevels A\n", "twice", 2},
	    {"levels A\nx\n", "fewer", 2},
	    {"levels A\nx 0 0\n", "more numbers", 2},
	    {"levels A\nx -1\n", "expected a number", 2},
	    {"levels A\nx a\n", "expected a number", 2},
	    {"levels A\nx 1234567890\n", "expected a number", 2},
	    {"levels A B\ndims 2\n", "fewer", 2},
	    {"levels A B\ndims 2 2\nx 1 1\n\ny 1 2\n", "out of the range", 5},
	    {"levels A\nx 1\ndims 2\n", "dims must", 3},
	    {"levels A\nx 1\ny 1\n x 2\n", "twice", 4},
	    {"levels A\nx[0-3] 1\n\\\n\nx2 2\n", "twice", 5},
	    {"levels A\nx[0-3],x1 1\n", "twice", 2},
	    {"levels A\nx[0-999999] 1\n", "more than 262144", 2},
	    {"levels A\nx[0-199999] 1\ny[0-199999] 1\n", "more than 262144", 3},
	    {"levels A\nx/y 1\n", "invalid character", 2},
	    {"levels 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 "
	     "23 24 25\n",
	     "24 levels", 1},
	    {"SwitchName=a\n", "Nodes= or", 1},
	    {"SwitchName=a Nodes=b Switches=c\n", "Nodes= or", 1},
	    {"SwitchName=a Nodes=b Nodes=c\n", "given twice on", 1},
	    {"Nodes=b\n", "SwitchName=", 1},
	    {"SwitchName= Nodes=b\n", "invalid name", 1},
	    {"SwitchName=a[0-1] Nodes=b\n", "invalid name", 1},
	    {"SwitchName=a/b Nodes=b\n", "invalid name", 1},
	    {"SwitchName=a nodes\n", "KEY=VALUE", 1},
	    {"SwitchName=a Nodes=\n", "empty name", 1},
	    {"SwitchName=a Nodes=x\nSwitchName=a Nodes=y\n", "twice", 2},
	    {"SwitchName=a Nodes=x\nSwitchName=b Nodes=x\n", "twice", 2},
	    {"SwitchName=a Nodes=x\n\nSwitchName=b Switches=a,c\n", "no line",
	     3},
	    {"SwitchName=a Nodes=x\nSwitchName=b Switches=a\n"
	     "SwitchName=c Switches=a\n",
	     "already", 3},
	    {"SwitchName=a Switches=a\n", "below itself", 1},
	    {"SwitchName=x Nodes=n\nSwitchName=a Switches=b,x\n"
	     "SwitchName=b Switches=a\n",
	     "below itself", 2},
	};
	struct tape_network_fault fault;
	struct tape_network *n;
	char text[4096], zeros[200], *s = text;
	int e;

	snprintf(zeros, sizeof zeros, "%0199d", 0);

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		strcpy(text, bad[i].text);
		e = tape_network_parse(&n, text, &fault);
		ok(e == TAPE_EFORMAT && !n && fault.line == bad[i].line &&
		       strstr(fault.what, bad[i].what),
		   "line %u: %s", fault.line, fault.what);
	}
	for (int levels = 24; levels <= 25; levels++) {
		s = text + sprintf(text, "SwitchName=s1 Nodes=n\n");
		for (int i = 2; i <= levels; i++)
			s += sprintf(s, "SwitchName=s%d Switches=s%d\n", i,
				     i - 1);
		e = tape_network_parse(&n, text, &fault);
		ok(e == (levels == 24 ? 0 : TAPE_EFORMAT),
		   "%d levels of switches", levels);
		tape_network_free(n);
	}
	ok(fault.line == 25 && strstr(fault.what, "24 levels"), "%s",
	   fault.what);
	/* three switches over each other, of 200 bytes each */
	s = text;
	for (int i = 0; i < 3; i++)
		s += sprintf(s,
			     i ? "SwitchName=%d%s Switches=%d%s\n"
			       : "SwitchName=%d%s Nodes=n\n",
			     i, zeros, i - 1, zeros);
	e = tape_network_parse(&n, text, &fault);
	ok(e == TAPE_EFORMAT && fault.line == 1 &&
	       strstr(fault.what, "too long"),
	   "line %u: %s", fault.line, fault.what);
}

/* 65,536 hosts of 2,048 switches, in Slurm's way. */
static void many(void)
{
	struct tape_network_fault fault;
	struct tape_network *n;
	char *text = malloc(200000), *s = text;
	size_t right = 0;
	int e;

	s += sprintf(s, "SwitchName=top Switches=mid[0-63]\n");
	for (int i = 0; i < 64; i++)
		s += sprintf(s, "SwitchName=mid%d Switches=s[%d-%d]\n", i,
			     i * 32, i * 32 + 31);
	for (int i = 0; i < 2048; i++)
		s += sprintf(s, "SwitchName=s%d Nodes=n[%05d-%05d].org\n", i,
			     i * 32, i * 32 + 31);
	e = tape_network_parse(&n, text, &fault);
	ok(e == 0, "65,536 hosts");
	for (int i = 0; i < 65536; i++) {
		char name[64], truth[128], position[TAPE_POSITION_MAX];

		snprintf(name, sizeof name, i % 2 ? "n%05d" : "n%05d.org", i);
		snprintf(truth, sizeof truth,
			 "Cluster/Switch3:top/Switch2:mid%d/Switch1:s%d/"
			 "Machine:%s",
			 i / 1024, i / 32, name);
		tape_network_position(n, name, position);
		right += !strcmp(position, truth);
	}
	ok(right == 65536, "%zu found", right);
	tape_network_free(n);
	free(text);
}

static int read_file(const char *path, struct tape_network_fault *fault)
{
	struct tape_network *n;
	int e = tape_network_read(&n, path, fault);

	ok(!e == !!n, "a network or an error");
	tape_network_free(n);
	return e;
}

static void files(void)
{
	struct tape_network_fault fault;
	const char *path;
	int e;

	folder_make();
	path = folder_path("f", NULL);
	folder_write(path, "levels A\nx 1", 12);
	e = read_file(path, &fault);
	ok(e == 0, "a file");
	folder_write(path, "levels A\nx 1\0y", 14);
	e = read_file(path, &fault);
	ok(e == TAPE_EFORMAT && !fault.line, "%s", fault.what);
	folder_write(path, "", 0);
	e = read_file(path, &fault);
	ok(e == TAPE_EFORMAT && !fault.line, "%s", fault.what);
	if (truncate(path, 65l << 20))
		ok(0, "no file of that size");
	e = read_file(path, &fault);
	ok(e == TAPE_EFORMAT && strstr(fault.what, "64 MiB"), "%s", fault.what);
	e = read_file(folder, &fault);
	ok(e == TAPE_EFORMAT && strstr(fault.what, "plain"), "%s", fault.what);
	unlink(path);
	e = read_file(path, &fault);
	ok(e == TAPE_EIO, "no file");
	ok(mkfifo(path, 0600) == 0 && read_file(path, &fault) == TAPE_EFORMAT,
	   "a pipe is not waited for");
	folder_remove();
}

int main(void)
{
	lists();
	coordinates();
	slurm();
	faults();
	many();
	files();
	is_at(NULL, "x", "");
	return done();
}
