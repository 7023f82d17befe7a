/* See base64.h. */
#include "base64.h"

void tape_base64(FILE *f, const unsigned char *p, size_t n)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	char out[4096];
	size_t k = 0;

	for (size_t i = 0; i < n; i += 3) {
		unsigned v = (unsigned)p[i] << 16;

		v |= i + 1 < n ? (unsigned)p[i + 1] << 8 : 0;
		v |= i + 2 < n ? p[i + 2] : 0;
		out[k++] = digit[v >> 18];
		out[k++] = digit[v >> 12 & 63];
		out[k++] = i + 1 < n ? digit[v >> 6 & 63] : '=';
		out[k++] = i + 2 < n ? digit[v & 63] : '=';
		if (k == sizeof out || i + 3 >= n) {
			fwrite(out, 1, k, f);
			putc('\n', f);
			k = 0;
		}
	}
}
