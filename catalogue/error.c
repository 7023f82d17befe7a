/* The texts of the error codes; see error.h. */
#include "error.h"

const char *tape_error_text(int code)
{
	switch (code) {
	case TAPE_OK:
		return "no error";
#define X(name, text) \
	case name: \
		return text;
	TAPE_ERRORS(X)
#undef X
	}
	return "unknown error";
}
