/* scratch.c: blocks, each as large as all before it; one, once a round is over. */
#include "config.h"

#include "ir/scratch.h"

#include "ir/guard.h"

#include <string.h>

#define ALIGN 16
#define FIRST_BYTES 4096

struct TpScratchBlock
{
  TpScratchBlock *next;
  gsize size_bytes;
  _Alignas (ALIGN) guint8 bytes[];
};

void
tp_scratch_clear (TpScratch *scratch)
{
  while (scratch->blocks != NULL)
    {
      TpScratchBlock *next = scratch->blocks->next;

      g_free (scratch->blocks);
      scratch->blocks = next;
    }
  scratch->pos = scratch->all_bytes = 0;
}

static void
add_block (TpScratch *scratch, gsize size_bytes)
{
  TpScratchBlock *block;

  if (size_bytes > G_MAXSIZE / 4)
    tp_guard_leave (size_bytes);
  block = tp_alloc (1, sizeof *block + size_bytes);
  block->next = scratch->blocks;
  block->size_bytes = size_bytes;
  scratch->blocks = block;
  scratch->pos = 0;
  scratch->all_bytes += size_bytes;
}

void
tp_scratch_reset (TpScratch *scratch)
{
  gsize all_bytes = scratch->all_bytes;

  scratch->pos = 0;
  if (scratch->blocks == NULL || scratch->blocks->next == NULL)
    return;
  tp_scratch_clear (scratch);
  add_block (scratch, all_bytes);
}

void *
tp_scratch_alloc (TpScratch *scratch, gsize n, gsize size)
{
  gsize bytes;

  if (__builtin_mul_overflow (n, size, &bytes) || bytes > G_MAXSIZE / 8)
    tp_guard_leave (G_MAXSIZE);
  bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  if (scratch->blocks == NULL
      || scratch->blocks->size_bytes - scratch->pos < bytes)
    add_block (scratch, MAX (bytes, MAX (scratch->all_bytes, FIRST_BYTES)));
  scratch->pos += bytes;
  return scratch->blocks->bytes + scratch->pos - bytes;
}

void *
tp_scratch_alloc0 (TpScratch *scratch, gsize n, gsize size)
{
  void *memory = tp_scratch_alloc (scratch, n, size);

  return memset (memory, 0, n * size);
}
