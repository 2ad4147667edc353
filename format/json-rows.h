/* json-rows.h: the long list of a document, a few elements at a time.
 *
 * As values a list takes ten times its text. Its text is found by brackets and
 * quotes alone, and parsed when it is read: text that is no JSON is noticed then,
 * or not found. Whoever meets an error reads the whole to say where it is. */
#ifndef TP_FORMAT_JSON_ROWS_H
#define TP_FORMAT_JSON_ROWS_H

#include <jansson.h>

#include "ir/array.h"
#include "ir/types.h"

typedef struct
{
  const char *at, *end;       /* elements that are still to parse */
  TpArray *stops;             /* const char *: where each of all ends */
  guint n_before;             /* of these, before @at */
  GString *rest;              /* the document, with that list empty */
  GString *text;
  json_t *parsed;
  gsize n_parsed;             /* elements taken from those */
  gboolean has_more;          /* to parse */
} TpJsonRows;

/* The list that is the value of @key in the object that is @text, which is
 * borrowed. FALSE: there is none, or more than one. */
gboolean tp_json_rows_init (TpJsonRows *rows, const char *text, gsize size,
                            const char *key);
void tp_json_rows_clear (TpJsonRows *rows);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpJsonRows, tp_json_rows_clear)

/* The next element, good until the one after it is asked for; NULL after the last.
 * FALSE: what follows cannot be parsed. */
gboolean tp_json_rows_next (TpJsonRows *rows, const json_t **out);
/* The text of the next element, with the space around it, which remains the next
 * until it is skipped; FALSE: there is none, or it is parsed already. */
gboolean tp_json_rows_peek (const TpJsonRows *rows, const char **out_text,
                            gsize *out_size);
void tp_json_rows_skip (TpJsonRows *rows);

#endif
