/* object.c: see object.h. Two passes over each object: what it takes, then its
 * bytes and relocations. Nothing in it is believed: every offset is held against
 * the bytes there are. */
#include "config.h"

#include "kernel/object.h"

#include "ir/guard.h"
#include "kernel/relocate.h"

#include <elf.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#define NOWHERE ((gsize) -1)
#define MAX_ALIGN 4096
#define MAX_SECTIONS 256
#define MAX_BYTES ((gsize) 1 << 30)

struct TpObjectCode
{
  guint8 *memory;
  gsize size;
  int n;
  void **entries;
};

/* An object while it is placed. */
typedef struct
{
  TpObject object;
  int machine;
  Elf64_Ehdr header;
  Elf64_Shdr symbols, names;  /* sections; all 0: none */
  gsize *offsets;             /* [section] from the start of the memory; NOWHERE:
                               * not loaded */
  gsize stubs;                /* offset of those of undefined symbols: one for
                               * each symbol, by its number */
  gsize end;
  guint8 *memory;             /* of all objects */
} Placing;

static void
placing_clear (Placing *placing)
{
  g_free (placing->offsets);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Placing, placing_clear)

static gboolean
refuse (const char *reason, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
               "machine code of a kernel cannot be linked: %s", reason);
  return FALSE;
}

/* ---- reading ------------------------------------------------------------ */

static gboolean
read_at (const Placing *it, guint64 offset, void *out, gsize size)
{
  if (offset > it->object.size || size > it->object.size - offset)
    return FALSE;
  memcpy (out, it->object.bytes + offset, size);
  return TRUE;
}

static gboolean
read_section (const Placing *it, guint index, Elf64_Shdr *out)
{
  return index < it->header.e_shnum
         && it->header.e_shoff <= it->object.size
         && read_at (it, it->header.e_shoff + index * sizeof *out, out,
                     sizeof *out)
         && (out->sh_type == SHT_NOBITS
             || (out->sh_offset <= it->object.size
                 && out->sh_size <= it->object.size - out->sh_offset));
}

static guint64
count_symbols (const Placing *it)
{
  return it->symbols.sh_size / sizeof (Elf64_Sym);
}

static gboolean
read_symbol (const Placing *it, guint64 index, Elf64_Sym *out)
{
  return index < count_symbols (it)
         && read_at (it, it->symbols.sh_offset + index * sizeof *out, out,
                     sizeof *out);
}

/* NULL: it does not end within its section. */
static const char *
get_name (const Placing *it, const Elf64_Sym *symbol)
{
  const char *names = (const char *) it->object.bytes + it->names.sh_offset;

  if (symbol->st_name >= it->names.sh_size
      || memchr (names + symbol->st_name, 0,
                 it->names.sh_size - symbol->st_name)
             == NULL)
    return NULL;
  return names + symbol->st_name;
}

static gboolean
read_header (Placing *it, GError **error)
{
  const Elf64_Ehdr *header = &it->header;

  it->machine = tp_relocate_get_machine ();
  if (it->machine == 0)
    return refuse ("nothing is known of this processor", error);
  if (!read_at (it, 0, &it->header, sizeof it->header)
      || memcmp (header->e_ident, ELFMAG, SELFMAG) != 0
      || header->e_ident[EI_CLASS] != ELFCLASS64
      || header->e_ident[EI_DATA]
             != (G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB)
      || header->e_type != ET_REL || header->e_machine != it->machine
      || header->e_shentsize != sizeof (Elf64_Shdr))
    return refuse ("it is no object of this processor", error);
  return header->e_shnum <= MAX_SECTIONS
         || refuse ("it has too many sections", error);
}

/* ---- placing ------------------------------------------------------------ */

static gboolean
advance (Placing *it, guint64 align, guint64 size, gsize *out_offset)
{
  align = MAX (align, 1);
  if (align > MAX_ALIGN || (align & (align - 1)) != 0 || size > MAX_BYTES)
    return FALSE;
  *out_offset = (it->end + align - 1) & ~(align - 1);
  it->end = *out_offset + size;
  return it->end <= MAX_BYTES;
}

static gboolean
place_section (Placing *it, guint index, GError **error)
{
  Elf64_Shdr section;

  it->offsets[index] = NOWHERE;
  if (!read_section (it, index, &section))
    return refuse ("a section lies outside", error);
  if (section.sh_type == SHT_SYMTAB)
    {
      it->symbols = section;
      if (!read_section (it, section.sh_link, &it->names)
          || it->names.sh_type != SHT_STRTAB)
        return refuse ("its symbols have no names", error);
    }
  if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_size == 0)
    return TRUE;
  if (section.sh_type != SHT_PROGBITS
      || (section.sh_flags & (SHF_WRITE | SHF_TLS)) != 0)
    return refuse ("it has more than code and constants", error);
  return advance (it, section.sh_addralign, section.sh_size,
                  &it->offsets[index])
         || refuse ("a section is too large", error);
}

/* From @it->end on; moves that. */
static gboolean
place_object (Placing *it, GError **error)
{
  gsize begin;

  if (!read_header (it, error))
    return FALSE;
  it->offsets = tp_new (gsize, it->header.e_shnum + 1);
  if (!advance (it, 64, 0, &begin))
    return refuse ("there is too much of it", error);
  for (guint i = 0; i < it->header.e_shnum; i++)
    if (!place_section (it, i, error))
      return FALSE;
  return advance (it, TP_STUB_BYTES, count_symbols (it) * TP_STUB_BYTES,
                  &it->stubs)
         || refuse ("it has too many symbols", error);
}

/* ---- linking ------------------------------------------------------------ */

/* What a processor without the instruction calls, and what no processor has one for. */
static guint64
find_function (const char *name)
{
  static const struct
  {
    const char *name;
    void (*function) (void);
  } functions[] = {
    { "fmaf", (void (*) (void)) fmaf },
    { "floorf", (void (*) (void)) floorf },
    { "rintf", (void (*) (void)) rintf },
    { "fma", (void (*) (void)) fma },
    { "floor", (void (*) (void)) floor },
    { "rint", (void (*) (void)) rint },
    { "exp", (void (*) (void)) exp },
    { "log", (void (*) (void)) log },
    { "tanh", (void (*) (void)) tanh },
    { "erf", (void (*) (void)) erf },
    { "sin", (void (*) (void)) sin },
    { "cos", (void (*) (void)) cos },
    { "pow", (void (*) (void)) pow },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (functions) && name != NULL; i++)
    if (strcmp (functions[i].name, name) == 0)
      return (guintptr) functions[i].function;
  return 0;
}

static gboolean
find_address (const Placing *it, guint64 index, guint64 *out, GError **error)
{
  Elf64_Sym symbol;
  guint64 function;
  guint8 *stub;

  if (!read_symbol (it, index, &symbol))
    return refuse ("a symbol lies outside", error);
  if (symbol.st_shndx != SHN_UNDEF)
    {
      if (symbol.st_shndx >= it->header.e_shnum
          || it->offsets[symbol.st_shndx] == NOWHERE)
        return refuse ("a symbol is in no section", error);
      *out = (guintptr) it->memory + it->offsets[symbol.st_shndx]
             + symbol.st_value;
      return TRUE;
    }
  function = find_function (get_name (it, &symbol));
  if (function == 0)
    return refuse ("it calls a function that is not known", error);
  stub = it->memory + it->stubs + index * TP_STUB_BYTES;
  tp_relocate_write_stub (it->machine, stub, function);
  *out = (guintptr) stub;
  return TRUE;
}

static gboolean
relocate_field (const Placing *it, const Elf64_Shdr *target, gsize offset,
                const Elf64_Rela *rela, GError **error)
{
  TpRelocation relocation = { .type = ELF64_R_TYPE (rela->r_info) };

  if (rela->r_offset > target->sh_size)
    return refuse ("a relocation lies outside", error);
  relocation.field = it->memory + offset + rela->r_offset;
  relocation.place = (guintptr) relocation.field;
  relocation.room = target->sh_size - rela->r_offset;
  if (!find_address (it, ELF64_R_SYM (rela->r_info), &relocation.value, error))
    return FALSE;
  relocation.value += (guint64) rela->r_addend;
  return tp_relocate (it->machine, &relocation)
         || refuse ("it has a relocation that is not known", error);
}

static gboolean
relocate_section (const Placing *it, const Elf64_Shdr *section, GError **error)
{
  Elf64_Shdr target;
  Elf64_Rela rela;

  if (section->sh_type == SHT_REL)
    return refuse ("its relocations have no addends", error);
  if (section->sh_type != SHT_RELA)
    return TRUE;
  if (!read_section (it, section->sh_info, &target))
    return refuse ("relocations are for no section", error);
  if (it->offsets[section->sh_info] == NOWHERE)
    return TRUE;
  for (guint64 i = 0; i < section->sh_size / sizeof rela; i++)
    if (!read_at (it, section->sh_offset + i * sizeof rela, &rela, sizeof rela)
        || !relocate_field (it, &target, it->offsets[section->sh_info], &rela,
                            error))
      return FALSE;
  return TRUE;
}

static void *
find_entry (const Placing *it)
{
  Elf64_Sym symbol;
  Elf64_Shdr section;

  for (guint64 i = 0; read_symbol (it, i, &symbol); i++)
    {
      const char *name = get_name (it, &symbol);

      if (name != NULL && strcmp (name, TP_OBJECT_ENTRY) == 0
          && ELF64_ST_TYPE (symbol.st_info) == STT_FUNC
          && read_section (it, symbol.st_shndx, &section)
          && it->offsets[symbol.st_shndx] != NOWHERE
          && (section.sh_flags & SHF_EXECINSTR) != 0
          && symbol.st_value < section.sh_size)
        return it->memory + it->offsets[symbol.st_shndx] + symbol.st_value;
    }
  return NULL;
}

static gboolean
link_object (const Placing *it, void **out_entry, GError **error)
{
  Elf64_Shdr section;

  for (guint i = 0; i < it->header.e_shnum && read_section (it, i, &section);
       i++)
    if (it->offsets[i] != NOWHERE)
      memcpy (it->memory + it->offsets[i],
              it->object.bytes + section.sh_offset, section.sh_size);
  for (guint i = 0; i < it->header.e_shnum && read_section (it, i, &section);
       i++)
    if (!relocate_section (it, &section, error))
      return FALSE;
  *out_entry = find_entry (it);
  return *out_entry != NULL
         || refuse ("it has no function '" TP_OBJECT_ENTRY "'", error);
}

/* ---- code --------------------------------------------------------------- */

static gboolean
fail_without_memory (gsize size, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
               "no memory for %" G_GSIZE_FORMAT " bytes of machine code", size);
  return FALSE;
}

static gboolean
map (TpObjectCode *code, gsize size, GError **error)
{
  code->size = MAX (size, 1);
  code->memory = mmap (NULL, code->size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code->memory != MAP_FAILED)
    return TRUE;
  code->memory = NULL;
  return fail_without_memory (code->size, error);
}

/* Places the objects before anything is had for them, then links them: @memory
 * is NULL in the first pass. */
static gboolean
walk (const TpObject *objects, TpObjectCode *code, gsize *out_size,
      GError **error)
{
  gsize end = 0;

  for (int i = 0; i < code->n; i++)
    {
      g_auto (Placing) placing = { .object = objects[i], .end = end,
                                   .memory = code->memory };

      if (!place_object (&placing, error)
          || (code->memory != NULL
              && !link_object (&placing, &code->entries[i], error)))
        return FALSE;
      end = placing.end;
    }
  *out_size = end;
  return TRUE;
}

static gboolean
protect (const TpObjectCode *code, GError **error)
{
  __builtin___clear_cache ((char *) code->memory,
                           (char *) code->memory + code->size);
  return mprotect (code->memory, code->size, PROT_READ | PROT_EXEC) == 0
         || refuse ("this process may not make memory executable", error);
}

TpObjectCode *
tp_object_link (const TpObject *objects, int n, GError **error)
{
  g_autoptr (TpObjectCode) code = g_new0 (TpObjectCode, 1);
  gsize size = 0;

  code->n = n;
  code->entries = g_try_new0 (void *, n + 1);
  if (code->entries == NULL)
    {
      fail_without_memory ((n + 1) * sizeof (void *), error);
      return NULL;
    }
  if (!walk (objects, code, &size, error) || !map (code, size, error)
      || !walk (objects, code, &size, error) || !protect (code, error))
    return NULL;
  return g_steal_pointer (&code);
}

void
tp_object_code_free (TpObjectCode *code)
{
  if (code == NULL)
    return;
  if (code->memory != NULL)
    munmap (code->memory, code->size);
  g_free (code->entries);
  g_free (code);
}

void *
tp_object_code_get (const TpObjectCode *code, int i)
{
  g_assert (i >= 0 && i < code->n);
  return code->entries[i];
}
