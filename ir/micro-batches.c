/* micro-batches.c: see micro-batches.h. */
#include "config.h"

#include "ir/micro-batches.h"

#include "ir/guard.h"

TpMicroBatches
tp_micro_batches_copy (const TpMicroBatches *from)
{
  return (TpMicroBatches){
    from->n,
    from->n == 0 ? NULL
                 : tp_memdup (from->sizes, from->n * sizeof from->sizes[0])
  };
}

TpMicroBatches
tp_micro_batches_new_equal (gint64 batch, int n)
{
  TpMicroBatches self = { n, tp_new (gint64, n) };

  for (int i = 0; i < n; i++)
    self.sizes[i] = batch / n + (i < batch % n);
  return self;
}

char *
tp_micro_batches_to_text (const TpMicroBatches *self)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (int i = 0; i < self->n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            self->sizes[i]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

void
tp_micro_batches_clear (TpMicroBatches *self)
{
  g_clear_pointer (&self->sizes, g_free);
  self->n = 0;
}
