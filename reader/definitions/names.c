/* Names from the catalogue, as data. */
#include <stddef.h>
#include <string.h>

#include "tape_files.h"
#include "trace.h"
#include "tape_names.h"

int tape_call_known(uint64_t call)
{
	return call < TAPE_CALL_COUNT && tape_calls[call].name;
}

const char *tape_call_name(unsigned call)
{
	return tape_call_known(call) ? tape_calls[call].name : "?";
}

const char *tape_class_name(unsigned class_)
{
	return class_ < TAPE_CLASS_COUNT ? tape_classes[class_].name : "?";
}

unsigned tape_call_class(unsigned call)
{
	return tape_call_known(call) ? tape_calls[call].class_ : 0;
}

enum tape_shape tape_call_shape(unsigned call)
{
	return tape_call_known(call) ? (enum tape_shape)tape_calls[call].shape
				     : TAPE_SHAPE_NONE;
}

unsigned tape_call_base(unsigned call)
{
	return tape_call_known(call) ? tape_calls[call].base : call;
}

unsigned tape_call_traits(unsigned call)
{
	return tape_call_known(call) ? tape_calls[call].traits : 0;
}

unsigned tape_call_find(const char *name)
{
	for (unsigned c = 1; c < TAPE_CALL_COUNT; c++)
		if (tape_calls[c].name && !strcmp(tape_calls[c].name, name))
			return c;
	return 0;
}

unsigned tape_class_find(const char *name)
{
	for (unsigned c = 0; c < TAPE_CLASS_COUNT; c++)
		if (!strcmp(tape_classes[c].name, name))
			return c;
	return TAPE_CLASS_COUNT;
}

const char *tape_class_layout(unsigned class_)
{
	return class_ < TAPE_CLASS_COUNT ? tape_classes[class_].layout : "?";
}

const char *tape_class_first_layout(unsigned class_)
{
	switch (class_) {
	case TAPE_CLASS_COLL:
		return "coll root:int bytes:u64 rbytes:u64 comm:u32";
	case TAPE_CLASS_SPAWN:
		return "spawn group:u32";
	default:
		return tape_class_layout(class_);
	}
}

int tape_class_creates(unsigned class_)
{
	return tape_classes[class_].creates_request;
}

int tape_event_creates(unsigned class_, const union tape_fields *u)
{
	return tape_class_creates(class_) &&
	       (class_ != TAPE_CLASS_IMPROBE || u->improbe.flag);
}

int tape_class_field(unsigned class_, unsigned n, struct tape_field *field)
{
	const struct tape_field_info *f;

	if (class_ >= TAPE_CLASS_COUNT)
		return 0;
	f = &tape_classes[class_].fields[n];
	if (!f->name)
		return 0;
	field->name = f->name;
	field->is_signed = f->encoding == TAPE_INT;
	field->bytes = f->encoding == TAPE_U64 ? 8 : 4;
	field->offset = f->offset;
	return 1;
}

int64_t tape_field_get(const union tape_fields *u, const struct tape_field *f)
{
	const char *p = (const char *)u + f->offset;
	int32_t i;
	uint32_t v;
	uint64_t w;

	if (f->bytes == 8) {
		memcpy(&w, p, sizeof w);
		return (int64_t)w;
	}
	if (f->is_signed) {
		memcpy(&i, p, sizeof i);
		return i;
	}
	memcpy(&v, p, sizeof v);
	return v;
}

int tape_field_set(union tape_fields *u, const struct tape_field *f,
		   int64_t value)
{
	char *p = (char *)u + f->offset;
	int32_t i = (int32_t)value;
	uint32_t v = (uint32_t)value;

	if (f->bytes == 8) {
		memcpy(p, &value, sizeof value);
		return 0;
	}
	if (f->is_signed ? i != value : v != value)
		return TAPE_ERANGE;
	memcpy(p, &v, sizeof v);
	return 0;
}
