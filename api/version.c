/* version.c: which tplan this is, as the header and as the library have it. */
#include "config.h"

#include "include/tplan.h"

const char *
tplan_version_get (int *out_major, int *out_minor, int *out_micro)
{
  if (out_major != NULL)
    *out_major = TPLAN_VERSION_MAJOR;
  if (out_minor != NULL)
    *out_minor = TPLAN_VERSION_MINOR;
  if (out_micro != NULL)
    *out_micro = TPLAN_VERSION_MICRO;
  return PACKAGE_VERSION;
}
