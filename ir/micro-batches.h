/* micro-batches.h: the sizes of the parts that a batch is run in. */
#ifndef TP_IR_MICRO_BATCHES_H
#define TP_IR_MICRO_BATCHES_H

#include <glib.h>

#define TP_MICRO_BATCHES_MOST 256

/* All zero: the batch is whole. */
typedef struct
{
  int n;                      /* 0, or from 2 to TP_MICRO_BATCHES_MOST */
  gint64 *sizes;              /* (owned) */
} TpMicroBatches;

TpMicroBatches tp_micro_batches_copy (const TpMicroBatches *from);
/* @n of them, as equal as can be, the larger ones first; @n from 2 to @batch. */
TpMicroBatches tp_micro_batches_new_equal (gint64 batch, int n);
/* "24, 8" */
char *tp_micro_batches_to_text (const TpMicroBatches *self);
void tp_micro_batches_clear (TpMicroBatches *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpMicroBatches, tp_micro_batches_clear)

#endif
