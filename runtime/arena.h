/* arena.h: the memory of an execution on one device: one buffer, the arena, and
 * parts of it, one per storage. Executions that never run at the same time may
 * share an arena. */
#ifndef TP_RUNTIME_ARENA_H
#define TP_RUNTIME_ARENA_H

#include "ir/execution.h"
#include "runtime/device.h"

typedef struct
{
  TpDevice *device;
  gboolean is_host;           /* as in TpDeviceInfo */
  int index;                  /* the device in executions */
  gint64 size_bytes;
  TpBuf *whole;               /* NULL: nothing has a place in it */
} TpArena;

/* Makes @whole; the rest is the caller's. TPLAN_ERROR_MEMORY. */
gboolean tp_arena_init (TpArena *arena, GError **error);
void tp_arena_clear (TpArena *arena);

/* Into @bufs, one element per storage of @execution, the buffers of those on the
 * device; others stay. Constants among them, unless they have a buffer already, are
 * read in place where tp_constant_is_in_place () and the device is the host; others
 * get memory of their own, outside the arena, and their values. FALSE leaves some
 * for tp_arena_drop (). */
gboolean tp_arena_place (const TpArena *arena, const TpExecution *execution,
                         TpBuf **bufs, GError **error);
/* The bytes of its constants that have memory of their own. */
gint64 tp_arena_count_constants (const TpArena *arena,
                                 const TpExecution *execution);
/* Frees those of the device; before the arena. */
void tp_arena_drop (const TpArena *arena, const TpExecution *execution,
                    TpBuf **bufs);

/* The value of a constant, row-major; g_free (). TPLAN_ERROR_MEMORY. */
void *tp_tensor_dup_value (const TpTensor *tensor, GError **error);

#endif
