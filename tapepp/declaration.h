/*
 * What is a declaration in a C source, as far as names of calls are concerned.
 * Questions about tokens: nothing here has a state.
 */
#ifndef TAPE_DECLARATION_H
#define TAPE_DECLARATION_H

#include "context.h"

/*
 * True if an expression can follow token i: any but an identifier, or one of a
 * few words. Other words precede declarations.
 */
int tape_before_expression(const struct tape_source *s, size_t i);

/* True if token i is a word that begins the type of a function. */
int tape_is_type(const struct tape_source *s, size_t i);

/*
 * True if the name at i is that of a variable, a parameter or a member; before
 * are the tokens before it: "int (*MPI_Send)(int)", "function *MPI_Send".
 */
int tape_is_variable(const struct tape_source *s, size_t i,
		     const size_t *before);

/*
 * True if the name at i, with a parenthesis after it, is one of several that
 * the statement declares, which begins at token start.
 */
int tape_is_declarator(const struct tape_source *s, size_t start, size_t i);

/* True if the name at i, with a parenthesis after it, gets a body. */
int tape_is_defined(const struct tape_source *s, size_t i);

/* True if a brace after the tokens before opens a struct or union. */
int tape_opens_members(const struct tape_source *s, const size_t *before);

#endif
