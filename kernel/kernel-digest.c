/* kernel-digest.c: names of kernels by what they are: equal names, equal
 * kernels, so that layers that repeat are compiled once. The digest is over a
 * compact binary form, as its text would cost more than the whole schedule. */
#include "config.h"

#include "kernel/kernel-digest.h"

#include "ir/digest.h"
#include "kernel/kernel-ops.h"

#include <string.h>

#define MOST_DIGITS 10        /* of a number */
#define N_NUMBERS 8           /* of an instruction */

/* Seven bits a byte, small numbers of either sign first. Returns where it ends. */
static guint8 *
put_number (guint8 *digits, gint64 value)
{
  guint64 rest = ((guint64) value << 1) ^ (guint64) (value >> 63);

  do
    {
      *digits++ = (rest & 127) | (rest > 127 ? 128 : 0);
      rest >>= 7;
    }
  while (rest > 0);
  return digits;
}

static void
add_number (TpArray *bytes, gint64 value)
{
  guint8 digits[MOST_DIGITS];

  tp_array_append_vals (bytes, digits, put_number (digits, value) - digits);
}

static void
add_instr (TpArray *bytes, const TpInstr *instr, int at)
{
  const TpValue operands[] = { instr->a, instr->b, instr->c };
  guint8 digits[N_NUMBERS * MOST_DIGITS];
  guint8 *end = put_number (digits, instr->op);
  guint32 bits;

  end = put_number (end, instr->kind * 32 + instr->lanes);
  for (int i = 0; i < 3; i++)   /* near ones are small; none is 0 */
    end = put_number (end, operands[i] < 0 ? 0 : at - operands[i]);
  end = put_number (end, instr->buffer);
  end = put_number (end, instr->imm);
  memcpy (&bits, &instr->fimm, sizeof bits);
  end = put_number (end, bits);
  tp_array_append_vals (bytes, digits, end - digits);
}

void
tp_kernel_append_bytes (const TpKernel *kernel, TpArray *bytes)
{
  add_number (bytes, kernel->n_groups);
  add_number (bytes, kernel->local_size);
  add_number (bytes, tp_kernel_uses_iteration (kernel) ? kernel->n_iterations
                                                       : 1);
  add_number (bytes, kernel->n_buffers);
  for (int i = 0; i < kernel->n_buffers; i++)
    {
      add_number (bytes, kernel->buffers[i].space);
      add_number (bytes, kernel->buffers[i].dtype);
      add_number (bytes, kernel->buffers[i].n_elements);
      add_number (bytes, kernel->buffers[i].is_written);
    }
  for (int i = 0; i < kernel->n_instrs; i++)
    add_instr (bytes, &kernel->instrs[i], i);
}

void
tp_kernel_set_digest_name (TpKernel *kernel, const char *family)
{
  g_autoptr (TpArray) bytes = tp_array_new (1);
  g_autofree char *digest = NULL;

  tp_kernel_append_bytes (kernel, bytes);
  digest = tp_digest_bytes (bytes->data, bytes->len);
  g_free (kernel->name);
  kernel->name = g_strdup_printf ("%s_%.32s", family, digest);
}
