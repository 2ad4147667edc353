/* room.h: whether there is memory for what follows, before it begins.
 *
 * Containers and libraries end the process when an allocation of theirs fails, so
 * work whose memory grows with its input asks once, for what it is known to take,
 * and fails while nothing is done yet. It is no reservation: other threads and
 * programs may take the room meanwhile. */
#ifndef TP_IR_ROOM_H
#define TP_IR_ROOM_H

#include "ir/types.h"

/**
 * tp_room_check:
 * @size_bytes: about what is taken at the most
 * @what: by what, "to plan this model"
 *
 * Takes nothing: so much address space is asked for and given back.
 *
 * Returns: %FALSE with %TPLAN_ERROR_MEMORY, which names the bytes: free some.
 *
 * Thread: any.
 */
gboolean tp_room_check (gint64 size_bytes, const char *what, GError **error);

/* %TPLAN_ERROR_MEMORY, in these words. */
void tp_room_set_error (gint64 size_bytes, const char *what, GError **error);

/* Of a block that will be filled: where it is large, large pages are asked for, of
 * which each costs one fault instead of hundreds. Where there are none nothing is
 * lost. */
void tp_room_ask_large_pages (void *block, gsize size_bytes);

#endif
