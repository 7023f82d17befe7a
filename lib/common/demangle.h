/* Names of functions as their authors write them. */
#ifndef TAPE_DEMANGLE_H
#define TAPE_DEMANGLE_H

#include <stddef.h>

/*
 * Makes "halo::exchange<double>" of _ZN4halo8exchangeIdEEvi, and exchange of
 * gfortran's __halo_MOD_exchange: without result, parameters and unnamed
 * namespaces, which say little and fill the line; a lambda of main is
 * "main::{lambda}". Other names stay. to receives at most n bytes, cut with
 * "..." where that is too few; n >= 4. Returns to.
 */
const char *tape_demangle(const char *name, char *to, size_t n);

/* The same on what the C++ library makes of a name: "void f<int>(int)". */
const char *tape_demangle_shorten(const char *full, char *to, size_t n);

#endif
