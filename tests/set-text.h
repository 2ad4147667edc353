/* set-text.h: a string of a struct that owns it. */
#ifndef TP_TESTS_SET_TEXT_H
#define TP_TESTS_SET_TEXT_H

#include <glib.h>

static inline void
set_text (char **field, const char *text)
{
  g_free (*field);
  *field = g_strdup (text);
}

#endif
