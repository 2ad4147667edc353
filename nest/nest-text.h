/* nest-text.h: the canonical text of lowered programs. */
#ifndef TP_NEST_NEST_TEXT_H
#define TP_NEST_NEST_TEXT_H

#include "nest/nest.h"

/* Canonical text: equal text, equal computation. Part of the cost table's key. */
char *tp_lowered_to_text (const TpLowered *lowered);

#endif
