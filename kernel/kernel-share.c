/* kernel-share.c: open addressing. Values leave in the order opposite to that
 * they came in, so to empty a slot is enough. */
#include "config.h"

#include "kernel/kernel-share.h"

#include "ir/guard.h"

#include <string.h>

#define FIRST_SLOTS 64

static guint
instr_hash (const TpInstr *instr)
{
  guint32 bits;
  guint hash;

  memcpy (&bits, &instr->fimm, sizeof bits);
  hash = instr->op * 31u + (guint)instr->lanes;
  hash = hash * 0x9e3779b1u + (guint)instr->a;
  hash = hash * 0x9e3779b1u + (guint)instr->b;
  hash = hash * 0x9e3779b1u + (guint)instr->c;
  hash = hash * 0x9e3779b1u + (guint)instr->imm;
  hash = hash * 0x9e3779b1u + (guint)(instr->imm >> 32);
  hash = hash * 0x9e3779b1u + bits;
  return hash ^ (hash >> 15);
}

static gboolean
instr_equal (const TpInstr *x, const TpInstr *y)
{
  return x->op == y->op && x->kind == y->kind && x->lanes == y->lanes
         && x->a == y->a && x->b == y->b && x->c == y->c && x->imm == y->imm
         && memcmp (&x->fimm, &y->fimm, sizeof x->fimm) == 0;
}

void
tp_sharing_init (TpSharing *sharing)
{
  sharing->values = tp_array_new (sizeof (TpValue));
  sharing->scopes = tp_array_new (sizeof (guint));
  sharing->slots = tp_new0 (int, FIRST_SLOTS);
  sharing->n_slots = FIRST_SLOTS;
}

void
tp_sharing_clear (TpSharing *sharing)
{
  tp_array_unref (sharing->values);
  tp_array_unref (sharing->scopes);
  g_free (sharing->slots);
}

/* That of the value equal to @instr, or the free one where it belongs. */
static int *
find_slot (const TpSharing *sharing, const TpInstr *instrs,
           const TpInstr *instr)
{
  guint i = instr_hash (instr) & (sharing->n_slots - 1);

  while (sharing->slots[i] != 0
         && !instr_equal (instr, &instrs[sharing->slots[i] - 1]))
    i = (i + 1) & (sharing->n_slots - 1);
  return &sharing->slots[i];
}

/* Oldest first, as they came. */
static void
grow (TpSharing *sharing, const TpInstr *instrs)
{
  int *slots = tp_new0 (int, 2 * (gsize)sharing->n_slots);

  g_free (sharing->slots);
  sharing->slots = slots;
  sharing->n_slots *= 2;
  for (guint i = 0; i < sharing->values->len; i++)
    {
      TpValue value = tp_array_index (sharing->values, TpValue, i);

      *find_slot (sharing, instrs, &instrs[value]) = value + 1;
    }
}

TpValue
tp_sharing_find (const TpSharing *sharing, const TpInstr *instrs,
                 const TpInstr *instr)
{
  return *find_slot (sharing, instrs, instr) - 1;
}

void
tp_sharing_add (TpSharing *sharing, const TpInstr *instrs, TpValue value)
{
  if (sharing->values->len >= sharing->n_slots / 2)
    grow (sharing, instrs);
  tp_array_append_val (sharing->values, value);
  *find_slot (sharing, instrs, &instrs[value]) = value + 1;
}

void
tp_sharing_open (TpSharing *sharing)
{
  tp_array_append_val (sharing->scopes, sharing->values->len);
}

void
tp_sharing_close (TpSharing *sharing, const TpInstr *instrs)
{
  guint n;

  g_assert (sharing->scopes->len > 0);
  n = tp_array_index (sharing->scopes, guint, sharing->scopes->len - 1);
  tp_array_set_size (sharing->scopes, sharing->scopes->len - 1);
  for (guint i = sharing->values->len; i > n; i--)
    {
      TpValue value = tp_array_index (sharing->values, TpValue, i - 1);

      *find_slot (sharing, instrs, &instrs[value]) = 0;
    }
  tp_array_set_size (sharing->values, n);
}
