/* api.c: the public calls of libtplan. */
#include "config.h"

#include "include/tplan.h"
