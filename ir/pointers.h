/* pointers.h: GPtrArray, for what grows with the model: where there is no memory,
 * the guarded call is left (ir/guard.h). */
#ifndef TP_IR_POINTERS_H
#define TP_IR_POINTERS_H

#include <glib.h>

typedef struct
{
  gpointer *pdata;            /* @len of them */
  guint len;
  guint capacity;
  GDestroyNotify free;        /* (nullable) of each */
} TpPointers;

TpPointers *tp_pointers_new (GDestroyNotify free);
void tp_pointers_free (TpPointers *pointers); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpPointers, tp_pointers_free)

/* Takes @pointer, also when the call is left. */
void tp_pointers_add (TpPointers *pointers, gpointer pointer);
/* Frees those after the first @len. */
void tp_pointers_cut (TpPointers *pointers, guint len);

#endif
