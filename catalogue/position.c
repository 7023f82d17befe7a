/* Positions in the hierarchy; see position.h. */
#include "position.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "error.h"

/* Bytes of the step that begins at s. */
static size_t step_length(const char *s)
{
	return strcspn(s, "/");
}

int tape_position_valid(const char *text)
{
	int steps = 0;

	if (strlen(text) >= TAPE_POSITION_MAX)
		return 0;
	for (const char *s = text; *s; s++)
		if ((unsigned char)*s <= ' ' || *s == 0x7f)
			return 0;
	for (const char *s = text;; s++) {
		size_t n = step_length(s);

		size_t type = strcspn(s, ":/");

		if (!type || type >= TAPE_LEVEL_MAX || n >= TAPE_STEP_MAX ||
		    ++steps > TAPE_STEPS_MAX)
			return 0;
		s += n;
		if (!*s)
			return 1;
	}
}

size_t tape_position_common(const char *a, const char *b)
{
	size_t shared = 0, i = 0;

	for (;; i++) {
		int ends = (!a[i] || a[i] == '/') && (!b[i] || b[i] == '/');

		if (ends && i)
			shared = i;
		if (a[i] != b[i] || !a[i])
			return shared;
	}
}

void tape_position_cut(char *a, const char *b)
{
	a[tape_position_common(a, b)] = '\0';
}

int tape_position_depth(const char *position, size_t bytes)
{
	int depth = bytes > 0;

	for (size_t i = 0; i < bytes && position[i]; i++)
		depth += position[i] == '/';
	return depth;
}

/* Where the last step of the first bytes begins. */
static size_t last_step(const char *position, size_t bytes)
{
	while (bytes && position[bytes - 1] != '/')
		bytes--;
	return bytes;
}

void tape_position_type(const char *position, size_t bytes,
			char type[TAPE_LEVEL_MAX])
{
	size_t first = last_step(position, bytes), n = 0;

	for (; first + n < bytes && position[first + n] != ':'; n++)
		if (n < TAPE_LEVEL_MAX - 1)
			type[n] = position[first + n];
	type[n < TAPE_LEVEL_MAX ? n : TAPE_LEVEL_MAX - 1] = '\0';
}

void tape_position_next(const char *position, size_t bytes,
			char step[TAPE_STEP_MAX])
{
	const char *s = position + bytes;
	size_t n;

	step[0] = '\0';
	if (bytes && *s++ != '/')
		return;
	n = step_length(s);
	if (n >= TAPE_STEP_MAX)
		n = TAPE_STEP_MAX - 1;
	memcpy(step, s, n);
	step[n] = '\0';
}

size_t tape_position_find(const char *position, const char *type)
{
	size_t found = 0, n = strlen(type);

	for (const char *s = position; *s; s++) {
		size_t step = step_length(s);

		if (step >= n && strncasecmp(s, type, n) == 0 &&
		    (step == n || s[n] == ':'))
			found = (size_t)(s - position) + step;
		s += step;
		if (!*s)
			break;
	}
	return found;
}

int tape_position_add(char position[TAPE_POSITION_MAX], const char *type,
		      const char *name)
{
	size_t at = strlen(position);
	size_t type_n = strlen(type);
	char step[TAPE_STEP_MAX];
	int n = snprintf(step, sizeof step, "%s%s%s", type, name ? ":" : "",
			 name ? name : "");

	if (!type_n || type_n >= TAPE_LEVEL_MAX || n >= (int)sizeof step ||
	    at + (at > 0) + (size_t)n >= TAPE_POSITION_MAX ||
	    tape_position_depth(position, at) >= TAPE_STEPS_MAX)
		return TAPE_ERANGE;
	for (char *s = step; *s; s++)
		if ((unsigned char)*s <= ' ' || *s == 0x7f || *s == '/')
			*s = '_';
	for (char *s = step; s < step + type_n; s++)
		if (*s == ':')
			*s = '_';
	if (at)
		position[at++] = '/';
	memcpy(position + at, step, (size_t)n + 1);
	return 0;
}
