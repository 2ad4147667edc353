/* test-object.c: objects linked by us: relocations by hand, calls, and bytes that
 * are no object or a damaged one. */
#include "config.h"

#include "kernel/jit.h"
#include "kernel/object.h"
#include "kernel/relocate.h"
#include "random-kernel.h"

#include <elf.h>
#include <math.h>
#include <string.h>

/* ---- relocations ---------------------------------------------------------- */

typedef struct
{
  int machine;
  guint32 type;
  guint64 value, place;
  guint32 before;
  gboolean is_good;
  guint32 after;
} Case;

#define X EM_X86_64
#define A EM_AARCH64

/* By the ABI documents. The instructions are `adrp x0`, `bl`, `ldr q0, [x0]`, ... */
static const Case cases[] = {
  { X, R_X86_64_PC32, 0x1000, 0x2000, 0, TRUE, 0xfffff000 },
  { X, R_X86_64_PLT32, 0x7fffffff, 0, 0, TRUE, 0x7fffffff },
  { X, R_X86_64_PC32, 0x80000000, 0, 0, FALSE, 0 },
  { X, R_X86_64_PC32, 0, 0x80000000, 7, TRUE, 0x80000000 },
  { X, R_X86_64_PC32, 0, 0x80000001, 7, FALSE, 7 },
  { X, R_X86_64_TPOFF32, 0, 0, 7, FALSE, 7 },
  { A, R_AARCH64_CALL26, 0x10000, 0x10008, 0x94000000, TRUE, 0x97fffffe },
  { A, R_AARCH64_JUMP26, 0x8000000, 4, 0x14000000, TRUE, 0x15ffffff },
  { A, R_AARCH64_JUMP26, 0x8000000, 0, 0x14000000, FALSE, 0x14000000 },
  { A, R_AARCH64_CALL26, 2, 0, 0x94000000, FALSE, 0x94000000 },
  { A, R_AARCH64_ADR_PREL_PG_HI21, 0x5008, 0x2ffc, 0x90000000, TRUE,
    0xf0000000 },                       /* 3 pages: immlo 3 */
  { A, R_AARCH64_ADR_PREL_PG_HI21, 0x1000, 0x2000, 0x90000000, TRUE,
    0xf0ffffe0 },                       /* -1 */
  { A, R_AARCH64_ADR_PREL_PG_HI21, 0x7000, 0x2000, 0x90000001, TRUE,
    0xb0000021 },                       /* 5 = 1 + 4 * 1 */
  { A, R_AARCH64_ADR_PREL_PG_HI21, (guint64) 1 << 32, 0, 0x90000000, FALSE,
    0x90000000 },
  { A, R_AARCH64_ADD_ABS_LO12_NC, 0x12345, 0, 0x91000000, TRUE, 0x910d1400 },
  { A, R_AARCH64_LDST32_ABS_LO12_NC, 0x12344, 0, 0xbd400000, TRUE,
    0xbd434400 },
  { A, R_AARCH64_LDST128_ABS_LO12_NC, 0x12340, 0, 0x3dc00000, TRUE,
    0x3dc0d000 },
  { A, R_AARCH64_LDST128_ABS_LO12_NC, 0x12344, 0, 0x3dc00000, FALSE,
    0x3dc00000 },
  { EM_386, R_386_PC32, 0, 0, 7, FALSE, 7 },
};

static void
test_relocations (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Case *it = &cases[i];
      guint32 field = it->before;
      TpRelocation relocation = { it->type, it->value, it->place,
                                  (guint8 *) &field, sizeof field };

      g_assert_cmpint (tp_relocate (it->machine, &relocation), ==,
                       it->is_good);
      g_assert_cmphex (field, ==, it->after);
      field = it->before;
      relocation.room = sizeof field - 1;
      g_assert_false (tp_relocate (it->machine, &relocation));
      g_assert_cmphex (field, ==, it->before);
    }
}

/* ---- objects ------------------------------------------------------------- */

enum { NONE, STRTAB, TEXT, RELA, SYMTAB, N_SECTIONS };

typedef struct
{
  Elf64_Ehdr header;
  Elf64_Shdr sections[N_SECTIONS];
  char names[32];
  guint8 text[16];
  Elf64_Rela rela;
  Elf64_Sym symbols[3];
} Image;

static void
set_section (Image *image, int which, int type, gsize offset, gsize size)
{
  image->sections[which]
      = (Elf64_Shdr){ .sh_type = type, .sh_offset = offset, .sh_size = size,
                      .sh_addralign = 8 };
}

/* `kernel' jumps to @callee. */
static void
make_image (Image *image, const char *callee)
{
  static const guint8 jump[] = { 0xe9, 0, 0, 0, 0 };

  *image = (Image){ .header = { .e_type = ET_REL, .e_machine = EM_X86_64,
                                .e_shoff = G_STRUCT_OFFSET (Image, sections),
                                .e_shentsize = sizeof (Elf64_Shdr),
                                .e_shnum = N_SECTIONS } };
  memcpy (image->header.e_ident, ELFMAG, SELFMAG);
  image->header.e_ident[EI_CLASS] = ELFCLASS64;
  image->header.e_ident[EI_DATA] = ELFDATA2LSB;
  set_section (image, STRTAB, SHT_STRTAB, G_STRUCT_OFFSET (Image, names), 32);
  set_section (image, TEXT, SHT_PROGBITS, G_STRUCT_OFFSET (Image, text), 16);
  image->sections[TEXT].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  set_section (image, RELA, SHT_RELA, G_STRUCT_OFFSET (Image, rela),
               sizeof image->rela);
  image->sections[RELA].sh_link = SYMTAB;
  image->sections[RELA].sh_info = TEXT;
  set_section (image, SYMTAB, SHT_SYMTAB, G_STRUCT_OFFSET (Image, symbols),
               sizeof image->symbols);
  image->sections[SYMTAB].sh_link = STRTAB;
  memcpy (image->names + 1, "kernel", 6);
  g_strlcpy (image->names + 8, callee, 24);
  memcpy (image->text, jump, sizeof jump);
  image->rela = (Elf64_Rela){ 1, ELF64_R_INFO (2, R_X86_64_PLT32), -4 };
  image->symbols[1] = (Elf64_Sym){ .st_name = 1, .st_shndx = TEXT,
                                   .st_info = ELF64_ST_INFO (STB_GLOBAL,
                                                             STT_FUNC) };
  image->symbols[2] = (Elf64_Sym){ .st_name = 8, .st_shndx = SHN_UNDEF };
}

static TpObjectCode *
link_image (const Image *image, GError **error)
{
  const TpObject object = { (const guint8 *) image, sizeof *image };

  return tp_object_link (&object, 1, error);
}

static gboolean
is_native (void)
{
  if (tp_relocate_get_machine () == EM_X86_64)
    return TRUE;
  g_test_skip ("the code is that of x86-64");
  return FALSE;
}

static void
test_call (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpObjectCode) code = NULL;
  float (*function) (float, float, float);
  Image image;

  if (!is_native ())
    return;
  make_image (&image, "fmaf");
  code = link_image (&image, &error);
  g_assert_no_error (error);
  function = (float (*) (float, float, float)) (guintptr)
      tp_object_code_get (code, 0);
  g_assert_cmpfloat (function (3, 5, 7), ==, 22);
  g_assert_cmpfloat (function (1 + 0x1p-23f, 1 - 0x1p-23f, -1), ==, -0x1p-46f);
}

static void
assert_refused (const Image *image, const char *why)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (link_image (image, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED);
  g_assert_nonnull (strstr (error->message, why));
}

static void
test_refused (void)
{
  Image image;

  if (!is_native ())
    return;
  make_image (&image, "system");
  assert_refused (&image, "not known");
  make_image (&image, "fmaf");
  image.sections[TEXT].sh_flags |= SHF_WRITE;
  assert_refused (&image, "more than code");
  make_image (&image, "fmaf");
  image.rela.r_offset = 13;
  assert_refused (&image, "relocation");
  make_image (&image, "fmaf");
  image.rela.r_info = ELF64_R_INFO (3, R_X86_64_PLT32);
  assert_refused (&image, "symbol");
  make_image (&image, "fmaf");
  image.symbols[1].st_value = 16;
  assert_refused (&image, "no function");
  make_image (&image, "fmaf");
  image.sections[TEXT].sh_size = G_MAXUINT64 - 8;
  assert_refused (&image, "outside");
  make_image (&image, "fmaf");
  image.header.e_machine = EM_AARCH64;
  assert_refused (&image, "processor");
}

/* ---- damaged ones --------------------------------------------------------- */

static void
link_any (const guint8 *bytes, gsize size)
{
  g_autofree guint8 *copy = g_memdup2 (bytes, size); /* ASan sees its end */
  const TpObject object = { copy, size };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpObjectCode) code = tp_object_link (&object, 1, &error);

  g_assert_true ((code == NULL) == (error != NULL));
}

/* What is cut is refused; what is changed anywhere is refused or linked, and
 * touches nothing outside. */
static void
damage (const guint8 *bytes, gsize size)
{
  g_autofree guint8 *copy = g_memdup2 (bytes, size);

  for (gsize i = 0; i < size; i++)
    {
      const guint8 values[] = { 0, 0xff, (guint8) ~bytes[i],
                                bytes[i] ^ (1 << g_test_rand_int_range (0, 8)) };

      for (gsize j = 0; j < G_N_ELEMENTS (values); j++)
        {
          copy[i] = values[j];
          link_any (copy, size);
        }
      copy[i] = bytes[i];
      link_any (bytes, i);
    }
}

static void
test_damaged_image (void)
{
  Image image;

  make_image (&image, "fmaf");
  damage ((const guint8 *) &image, sizeof image);
}

static int
take_once (gpointer data)
{
  GByteArray *bytes = data;

  return bytes->len == 0 ? 0 : -1;
}

static void
keep (gpointer data, int kernel, const TpObject *object)
{
  g_byte_array_append (data, object->bytes, object->size);
}

static void
test_damaged_kernel (void)
{
  g_autoptr (TpKernel) kernel = random_kernel_new (12);
  const TpKernel *kernels[] = { kernel };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const TpJitWork work = { take_once, keep, bytes, NULL };
  g_autoptr (GError) error = NULL;

  if (!tp_jit_compile (kernels, &work, &error))
    {
      g_test_skip (error->message);
      return;
    }
  damage (bytes->data, bytes->len);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/object/relocations", test_relocations);
  g_test_add_func ("/object/call", test_call);
  g_test_add_func ("/object/refused", test_refused);
  g_test_add_func ("/object/damaged-image", test_damaged_image);
  g_test_add_func ("/object/damaged-kernel", test_damaged_kernel);
  return g_test_run ();
}
