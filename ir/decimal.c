/* decimal.c: see decimal.h. */
#include "config.h"

#include "ir/decimal.h"

#include <string.h>

int
tp_decimal_write (gint64 value, char *out)
{
  char digits[TP_DECIMAL_SIZE];
  char *end = digits + sizeof digits, *at = end;
  guint64 rest = value < 0 ? -(guint64) value : (guint64) value;
  int n;

  do
    *--at = (char) ('0' + rest % 10);
  while ((rest /= 10) > 0);
  if (value < 0)
    *--at = '-';
  n = (int) (end - at);
  memcpy (out, at, n);
  out[n] = 0;
  return n;
}
