/* unpack-dots.h: terms that are dot products of bytes. */
#ifndef TP_SCHEDULE_UNPACK_DOTS_H
#define TP_SCHEDULE_UNPACK_DOTS_H

#include "schedule/unpack.h"

/* Sets @unpack->dots, of terms, loops and columns that are known. */
void tp_unpack_dots_find (TpUnpack *unpack);

#endif
