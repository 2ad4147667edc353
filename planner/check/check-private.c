/* check-private.c: taking down what is wrong with a plan. */
#include "config.h"

#include "planner/check/check-private.h"

#define MAX_REASONS 64

gboolean
tp_checker_fail (TpChecker *checker, const char *format, ...)
{
  va_list args;

  if (checker->reasons->len > MAX_REASONS)
    return FALSE;
  if (checker->reasons->len == MAX_REASONS)
    {
      g_ptr_array_add (checker->reasons, g_strdup ("and more faults"));
      return FALSE;
    }
  va_start (args, format);
  g_ptr_array_add (checker->reasons, g_strdup_vprintf (format, args));
  va_end (args);
  return FALSE;
}
