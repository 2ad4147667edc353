/* near-name.h: which name was meant by one that is mistyped. */
#ifndef TP_IR_NEAR_NAME_H
#define TP_IR_NEAR_NAME_H

#include <glib.h>

/* How many letters are to be put in, left out, changed or swapped with the next
 * one to make @a into @b; the case of ASCII letters does not count. Text of more
 * than 63 bytes is as far from another as it is long. */
int tp_near_name_distance (const char *a, const char *b);

/* The one of @known, ended by NULL, that @typed begins or is nearest to; NULL:
 * none is near enough to be worth a question. (borrowed) */
const char *tp_near_name_find (const char *typed, const char *const *known);

/* " (did you mean 'X'?)" or "", to follow a name; the caller frees. */
char *tp_near_name_ask (const char *typed, const char *const *known);

/* ": there are A, B, ...", the first few of @known, or ": leave it out" where there are
 * none; to follow that; the caller frees. */
char *tp_near_name_list (const char *const *known);

#endif
