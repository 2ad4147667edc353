/* pointers.c: doubles. There is always a place to spare, so that what is added has
 * an owner before memory can run out. */
#include "config.h"

#include "ir/pointers.h"

#include "ir/guard.h"

#define FIRST_CAPACITY 16

TpPointers *
tp_pointers_new (GDestroyNotify free)
{
  g_autoptr (TpPointers) pointers = tp_new0 (TpPointers, 1);

  pointers->pdata = tp_new (gpointer, FIRST_CAPACITY);
  pointers->capacity = FIRST_CAPACITY;
  pointers->free = free;
  return g_steal_pointer (&pointers);
}

void
tp_pointers_free (TpPointers *pointers)
{
  if (pointers == NULL)
    return;
  tp_pointers_cut (pointers, 0);
  g_free (pointers->pdata);
  g_free (pointers);
}

void
tp_pointers_add (TpPointers *pointers, gpointer pointer)
{
  pointers->pdata[pointers->len++] = pointer;
  if (pointers->len < pointers->capacity)
    return;
  if (pointers->capacity > G_MAXUINT / 2)
    tp_guard_leave (G_MAXSIZE);
  pointers->pdata
      = tp_renew (gpointer, pointers->pdata, (gsize) pointers->capacity * 2);
  pointers->capacity *= 2;
}

void
tp_pointers_cut (TpPointers *pointers, guint len)
{
  for (guint i = len; pointers->free != NULL && i < pointers->len; i++)
    if (pointers->pdata[i] != NULL)
      pointers->free (pointers->pdata[i]);
  pointers->len = MIN (pointers->len, len);
}
