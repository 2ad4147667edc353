/* relocate.c: "System V ABI, AMD64 supplement", 4.4; "ELF for the Arm 64-bit
 * architecture", 5.7. No more than kernels need: they have constants and calls,
 * no data of their own and no thread-local variables. */
#include "config.h"

#include "kernel/relocate.h"

#include <elf.h>
#include <string.h>

int
tp_relocate_get_machine (void)
{
#if defined(__x86_64__) && !defined(__ILP32__)
  return EM_X86_64;
#elif defined(__aarch64__) && !defined(__ILP32__)
  return EM_AARCH64;
#else
  return 0;
#endif
}

static gboolean
write_64 (const TpRelocation *it, guint64 value)
{
  if (it->room < sizeof value)
    return FALSE;
  memcpy (it->field, &value, sizeof value);
  return TRUE;
}

static gboolean
write_distance_32 (const TpRelocation *it)
{
  gint64 distance = (gint64) (it->value - it->place);
  gint32 word = (gint32) distance;

  if (it->room < sizeof word || word != distance)
    return FALSE;
  memcpy (it->field, &word, sizeof word);
  return TRUE;
}

static gboolean
relocate_x86_64 (const TpRelocation *it)
{
  switch (it->type)
    {
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      return write_distance_32 (it);
    case R_X86_64_PC64:
      return write_64 (it, it->value - it->place);
    case R_X86_64_64:
      return write_64 (it, it->value);
    default:
      return FALSE;
    }
}

/* Bits @mask of an instruction become @bits. */
static gboolean
patch (const TpRelocation *it, guint32 mask, guint32 bits)
{
  guint32 word;

  if (it->room < sizeof word)
    return FALSE;
  memcpy (&word, it->field, sizeof word);
  word = (word & ~mask) | (bits & mask);
  memcpy (it->field, &word, sizeof word);
  return TRUE;
}

/* B, BL: words ahead, in 26 bits. */
static gboolean
patch_jump (const TpRelocation *it)
{
  gint64 distance = (gint64) (it->value - it->place);
  gint64 most = (gint64) 1 << 27;

  return distance >= -most && distance < most && distance % 4 == 0
         && patch (it, 0x03ffffff, (guint32) (distance / 4));
}

/* ADRP: pages ahead, in 21 bits, the lowest two of them apart. */
static gboolean
patch_page (const TpRelocation *it)
{
  gint64 pages = (gint64) (it->value >> 12) - (gint64) (it->place >> 12);
  gint64 most = (gint64) 1 << 20;
  guint32 bits = (guint32) pages;

  return pages >= -most && pages < most
         && patch (it, 0x60ffffe0,
                   ((bits & 3) << 29) | (((bits >> 2) & 0x7ffff) << 5));
}

/* ADD, LDR: the place within its page, in elements of 1 << @scale bytes. */
static gboolean
patch_low (const TpRelocation *it, int scale)
{
  guint32 low = it->value & 0xfff;

  return low % (1u << scale) == 0 && patch (it, 0x003ffc00, low >> scale << 10);
}

static gboolean
relocate_aarch64 (const TpRelocation *it)
{
  switch (it->type)
    {
    case R_AARCH64_ABS64:
      return write_64 (it, it->value);
    case R_AARCH64_PREL64:
      return write_64 (it, it->value - it->place);
    case R_AARCH64_PREL32:
      return write_distance_32 (it);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      return patch_jump (it);
    case R_AARCH64_ADR_PREL_PG_HI21:
      return patch_page (it);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
      return patch_low (it, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return patch_low (it, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return patch_low (it, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
      return patch_low (it, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return patch_low (it, 4);
    default:
      return FALSE;
    }
}

gboolean
tp_relocate (int machine, const TpRelocation *relocation)
{
  return machine == EM_X86_64    ? relocate_x86_64 (relocation)
         : machine == EM_AARCH64 ? relocate_aarch64 (relocation)
                                 : FALSE;
}

void
tp_relocate_write_stub (int machine, guint8 *stub, guint64 address)
{
  static const guint8 jmp[8] = { 0xff, 0x25, 2, 0, 0, 0 }; /* *2(%rip) */
  static const guint32 ldr_br[2] = { 0x58000050, 0xd61f0200 }; /* x16, 8 on */

  if (machine == EM_X86_64)
    memcpy (stub, jmp, sizeof jmp);
  else
    memcpy (stub, ldr_br, sizeof ldr_br);
  memcpy (stub + TP_STUB_BYTES - sizeof address, &address, sizeof address);
}
