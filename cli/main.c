/* main.c: the `tplan` program. */
#include "config.h"

#include "ir/types.h"

int
main (int argc, char **argv)
{
  (void) argc;
  (void) argv;
  return tplan_error_quark () == 0;
}
