/* kernel-digest.c: names of kernels by what they are: equal names, equal
 * kernels, so that layers that repeat are compiled once. The digest is over a
 * compact binary form, as its text would cost more than the whole schedule. */
#include "config.h"

#include "kernel/kernel-digest.h"

#include <string.h>

/* Seven bits a byte, small numbers of either sign first. */
static void
add_number (TpArray *bytes, gint64 value)
{
  guint64 rest = ((guint64) value << 1) ^ (guint64) (value >> 63);
  guint8 digits[10];
  guint n = 0;

  do
    {
      digits[n++] = (rest & 127) | (rest > 127 ? 128 : 0);
      rest >>= 7;
    }
  while (rest > 0);
  tp_array_append_vals (bytes, digits, n);
}

static void
add_instr (TpArray *bytes, const TpInstr *instr, int at)
{
  const TpValue operands[] = { instr->a, instr->b, instr->c };
  guint32 bits;

  add_number (bytes, instr->op);
  add_number (bytes, instr->kind * 32 + instr->lanes);
  for (int i = 0; i < 3; i++)   /* near ones are small; none is 0 */
    add_number (bytes, operands[i] < 0 ? 0 : at - operands[i]);
  add_number (bytes, instr->buffer);
  add_number (bytes, instr->imm);
  memcpy (&bits, &instr->fimm, sizeof bits);
  add_number (bytes, bits);
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
  digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256,
                                        (const guchar *) bytes->data,
                                        bytes->len);
  g_free (kernel->name);
  kernel->name = g_strdup_printf ("%s_%.32s", family, digest);
}
