/* text.c: see text.h. */
#include "config.h"

#include "ir/text.h"

#include "ir/decimal.h"
#include "ir/guard.h"

#include <string.h>

static void
grow (GString *text, gsize n)
{
  gsize size = text->allocated_len;

  if (n >= G_MAXSIZE / 2 - text->len)
    tp_guard_leave (G_MAXSIZE);
  while (size <= text->len + n)
    size *= 2;
  text->str = tp_realloc (text->str, size, 1);
  text->allocated_len = size;
}

/* For @n more bytes and the nul. */
static inline void
make_room (GString *text, gsize n)
{
  if (n >= text->allocated_len - text->len)
    grow (text, n);
}

void
tp_text_append_len (GString *text, const char *bytes, gsize n)
{
  make_room (text, n);
  if (n > 0)
    memcpy (text->str + text->len, bytes, n);
  text->len += n;
  text->str[text->len] = 0;
}

void
tp_text_append (GString *text, const char *string)
{
  tp_text_append_len (text, string, strlen (string));
}

void
tp_text_append_c (GString *text, char c)
{
  make_room (text, 1);
  text->str[text->len++] = c;
  text->str[text->len] = 0;
}

void
tp_text_append_number (GString *text, gint64 value)
{
  make_room (text, TP_DECIMAL_SIZE);
  text->len += tp_decimal_write (value, text->str + text->len);
}

void
tp_text_append_vprintf (GString *text, const char *format, va_list args)
{
  va_list again;
  int n;

  va_copy (again, args);
  n = g_vsnprintf (NULL, 0, format, again);
  va_end (again);
  make_room (text, n);
  g_vsnprintf (text->str + text->len, n + 1, format, args);
  text->len += n;
}

void
tp_text_append_printf (GString *text, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  tp_text_append_vprintf (text, format, args);
  va_end (args);
}
