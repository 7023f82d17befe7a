/* The analyser's side of the file "live" of a trace that is followed. */
#include <errno.h>
#include <string.h>

#include "error.h"
#include "folder.h"
#include "live_file.h"
#include "tap.h"

int main(void)
{
	char longest[5000];
	struct tape_live l, other;

	folder_make();
	memset(&l, 0xff, sizeof l);
	memset(longest, 'x', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	ok(tape_live_hold(&l, longest) == TAPE_EIO && errno == ENAMETOOLONG,
	   "a name that is too long");
	ok(l.fd == -1 && !l.is_new && !l.starved, "leaves nothing to remove");
	ok(!tape_live_hold(&l, folder) && l.is_new, "a new file");
	ok(tape_live_hold(&other, folder) == TAPE_EIO && !other.is_new,
	   "has one analyser");
	tape_live_remove(&l, folder);
	ok(access(folder_path(TAPE_LIVE_FILE, NULL), F_OK),
	   "it is removed by the analyser that made it");
	tape_live_release(&l);
	folder_remove();
	return done();
}
