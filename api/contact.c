/* contact.c: meeting the drivers of this machine.
 *
 * A driver may hang or crash as soon as it is loaded, and its loader loads them
 * all. So each is met alone, in a child; those that survive are loaded. A driver
 * is known by its file, the size and time of that, and what the environment says
 * of drivers: while these stay, it need not be met again. One that failed is, where
 * the limits of the process are other than they were: it may have lacked a stack. */
#include "config.h"

#include "api/contact.h"

#include "api/child.h"
#include "include/tplan.h"
#include "ir/posix.h"
#include "runtime/devices.h"
#include "runtime/private-folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define KNOWN "drivers"       /* a file */
#define MAX_KNOWN_BYTES (1 << 20)
#define N_BAITS 3

typedef struct
{
  const TpDeviceOps *kind;
  const char *file;           /* names it; NULL: all drivers of the kind */
  gboolean is_fresh;
  GKeyFile *known;            /* a group each, called as it is said to people */
  gboolean is_changed;        /* known is */
} Contact;

typedef struct
{
  int file;                   /* -1: none to be had */
  struct stat was;
} Bait;

/* ---- in the child -------------------------------------------------------- */

/* Where the library that @file names was mapped from, or NULL. */
static char *
find_library (const char *file)
{
  g_autofree char *text = NULL, *base = NULL, *maps = NULL;
  g_auto (GStrv) lines = NULL;

  if (file == NULL || !g_file_get_contents (file, &text, NULL, NULL)
      || !g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL))
    return NULL;
  base = g_path_get_basename (g_strstrip (text));
  lines = g_strsplit (maps, "\n", -1);
  for (int i = 0; lines[i] != NULL; i++)
    {
      const char *path = strchr (lines[i], '/');

      if (path != NULL && g_str_has_suffix (path, base))
        return g_strdup (path);
    }
  return NULL;
}

/* Files that are none of the driver's: it is to leave them alone. */
static void
lay_bait (Bait baits[N_BAITS])
{
  for (int i = 0; i < N_BAITS; i++)
    {
      baits[i].file = memfd_create ("tplan", MFD_CLOEXEC);
      if (baits[i].file >= 0 && fstat (baits[i].file, &baits[i].was) != 0)
        baits[i].file = -1;
    }
}

/* What it did to one; NULL: nothing. */
static const char *
look_at_bait (const Bait baits[N_BAITS])
{
  for (int i = 0; i < N_BAITS; i++)
    {
      struct stat is;

      if (baits[i].file < 0)
        continue;
      if (fstat (baits[i].file, &is) != 0
          || is.st_ino != baits[i].was.st_ino
          || is.st_dev != baits[i].was.st_dev)
        return "closed files that are not its own";
      if (is.st_size != 0)
        return "wrote into files that are not its own";
    }
  return NULL;
}

/* Devices that cannot be opened say so themselves when they are used. What is
 * open stays: drivers crash most readily when they are closed. Says what was done
 * wrong in a line, then the library. */
static void
meet (gpointer data, GString *out)
{
  const Contact *contact = data;
  const char *reason, *fault;
  Bait baits[N_BAITS];
  int n;
  g_autofree char *library = NULL;

  setpgid (0, 0); /* whom it may kill */
  lay_bait (baits);
  n = contact->kind->count (&reason);

  for (int i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s:%d", contact->kind->name, i);

      tp_device_open (name, NULL, NULL);
    }
  library = find_library (contact->file);
  fault = look_at_bait (baits);
  g_string_append_printf (out, "%s\n%s", fault != NULL ? fault : "",
                          library != NULL ? library : "");
}

/* ---- what is known ------------------------------------------------------- */

/* -1 where others could reach it: there is nothing known, and nothing is kept. */
static int
open_folder (void)
{
  return tp_private_folder_open (g_get_user_cache_dir (), "tplan", NULL, NULL);
}

/* NULL: it is not a file of ours. */
static char *
read_own (int fd)
{
  struct stat info;
  char *text;

  if (fstat (fd, &info) != 0 || !S_ISREG (info.st_mode)
      || info.st_uid != geteuid () || info.st_size > MAX_KNOWN_BYTES)
    return NULL;
  text = g_malloc0 (info.st_size + 1);
  if (tp_posix_read (fd, text, info.st_size))
    return text;
  g_free (text);
  return NULL;
}

static GKeyFile *
load_known (void)
{
  GKeyFile *known = g_key_file_new ();
  int folder = open_folder ();
  int fd = folder < 0 ? -1 : openat (folder, KNOWN, O_RDONLY | O_NOFOLLOW
                                                        | O_NONBLOCK
                                                        | O_CLOEXEC);
  g_autofree char *text = fd < 0 ? NULL : read_own (fd);

  if (text != NULL)
    g_key_file_load_from_data (known, text, -1, G_KEY_FILE_NONE, NULL);
  if (fd >= 0)
    close (fd);
  if (folder >= 0)
    close (folder);
  return known;
}

/* Where it cannot be kept drivers are met each time. */
static void
save_known (GKeyFile *known)
{
  g_autofree char *folder
      = tp_private_folder_make (g_get_user_cache_dir (), "tplan", NULL, NULL);
  g_autofree char *path = folder != NULL
                              ? g_build_filename (folder, KNOWN, NULL)
                              : NULL;

  if (path != NULL)
    g_key_file_save_to_file (known, path, NULL);
}

/* "size:time", "" of what is not there. */
static char *
stamp_file (const char *path)
{
  struct stat status;

  if (path == NULL || stat (path, &status) != 0)
    return g_strdup ("");
  return g_strdup_printf ("%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ".%09ld",
                          (gint64) status.st_size, (gint64) status.st_mtime,
                          status.st_mtim.tv_nsec);
}

/* All that decides which library is loaded, and what it does. */
static char *
digest_environment (const Contact *contact)
{
  static const char *const loaders[]
      = { "LD_LIBRARY_PATH", "LD_PRELOAD", NULL };
  const char *const *lists[] = { loaders, contact->kind->drivers->variables };
  g_autoptr (GString) text = g_string_new (contact->kind->name);

  for (gsize k = 0; k < G_N_ELEMENTS (lists); k++)
    for (int i = 0; lists[k] != NULL && lists[k][i] != NULL; i++)
      {
        const char *value = secure_getenv (lists[k][i]);

        g_string_append_printf (text, "\n%s=%s", lists[k][i],
                                value != NULL ? value : "");
      }
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text->str, -1);
}

/* Of this process, of what a driver may run out of. */
static char *
list_limits (void)
{
  static const int kinds[] = { RLIMIT_AS, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_CPU,
                               RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_MEMLOCK };
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

      getrlimit (kinds[i], &limit);
      g_string_append_printf (text, i > 0 ? " %" G_GUINT64_FORMAT
                                          : "%" G_GUINT64_FORMAT,
                              (guint64) limit.rlim_cur);
    }
  return g_string_free (text, FALSE);
}

/* Group names take no brackets, control characters or bytes that are no text:
 * each of these is %XX, and no two files have one name. */
static char *
name_group (const Contact *contact)
{
  if (contact->file == NULL)
    return g_strconcat ("drivers of ", contact->kind->name, NULL);
  return g_uri_escape_string (contact->file,
                              G_URI_RESERVED_CHARS_ALLOWED_IN_PATH " ", TRUE);
}

/* The four things that must be as they were. */
static void
list_signature (const Contact *contact, const char *library,
                char *out_values[4])
{
  g_autofree char *text = NULL;

  if (contact->file != NULL)
    g_file_get_contents (contact->file, &text, NULL, NULL);
  out_values[0] = text != NULL ? g_strstrip (g_steal_pointer (&text))
                               : g_strdup ("");
  out_values[1] = stamp_file (contact->file);
  out_values[2] = stamp_file (library);
  out_values[3] = digest_environment (contact);
}

static const char *const signature_keys[]
    = { "text", "file", "library-file", "environment" };

/* TRUE: *out_fault says what is wrong with it; NULL: nothing. */
static gboolean
recall (const Contact *contact, char **out_fault)
{
  g_autofree char *group = name_group (contact);
  g_autofree char *library
      = g_key_file_get_string (contact->known, group, "library", NULL);
  g_autofree char *fault
      = g_key_file_get_string (contact->known, group, "fault", NULL);
  g_autofree char *limited
      = g_key_file_get_string (contact->known, group, "limits", NULL);
  g_autofree char *limits = NULL;
  char *values[4];
  gboolean is_same = contact->file != NULL && library != NULL && fault != NULL
                     && !contact->is_fresh;

  list_signature (contact, library, values);
  for (int i = 0; i < 4; i++)
    {
      g_autofree char *was = g_key_file_get_string (contact->known, group,
                                                    signature_keys[i], NULL);

      is_same = is_same && g_strcmp0 (was, values[i]) == 0;
      g_free (values[i]);
    }
  *out_fault = NULL;
  if (!is_same || *fault == 0)
    return is_same;
  limits = list_limits ();
  if (g_strcmp0 (limited, limits) != 0)
    return FALSE;
  *out_fault = g_steal_pointer (&fault);
  return TRUE;
}

/* @library: "" where it is not known. */
static void
remember (Contact *contact, const char *library, const char *fault)
{
  g_autofree char *group = name_group (contact);
  g_autofree char *limits = list_limits ();
  char *values[4];

  list_signature (contact, library, values);
  for (int i = 0; i < 4; i++)
    {
      g_key_file_set_string (contact->known, group, signature_keys[i],
                             values[i]);
      g_free (values[i]);
    }
  g_key_file_set_string (contact->known, group, "limits", limits);
  g_key_file_set_string (contact->known, group, "library", library);
  g_key_file_set_string (contact->known, group, "fault",
                         fault != NULL ? fault : "");
  contact->is_changed = TRUE;
}

/* ---- one driver ---------------------------------------------------------- */

static char *
get_named_library (const char *file)
{
  char *text = NULL;

  if (file != NULL)
    g_file_get_contents (file, &text, NULL, NULL);
  return text != NULL ? g_strstrip (text) : g_strdup ("");
}

/* What is wrong with it; NULL: nothing. *out_library: "" where it is not known, and
 * NULL where the fault is not its own. */
static char *
ask_driver (Contact *contact, char **out_library)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *answer = tp_child_ask (meet, contact, &error);
  char *end = answer != NULL ? strchr (answer, '\n') : NULL;

  if (end == NULL)
    {
      if (!g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_FAILED))
        *out_library = get_named_library (contact->file);
      return g_strdup (error != NULL ? error->message : "gave no answer");
    }
  *out_library = g_strdup (end + 1);
  return end > answer ? g_strndup (answer, end - answer) : NULL;
}

/* The same, of what is known or asked. */
static char *
find_fault (Contact *contact)
{
  const TpDeviceDrivers *drivers = contact->kind->drivers;
  const char *const alone[] = { contact->file, NULL };
  g_autofree char *library = NULL;
  char *fault;

  if (recall (contact, &fault))
    return fault;
  drivers->narrow (contact->file != NULL ? alone : NULL, NULL);
  fault = ask_driver (contact, &library);
  if (library != NULL)
    remember (contact, library, fault);
  return fault;
}

static void
add_note (const Contact *contact, const char *fault, GPtrArray *notes)
{
  g_autofree char *group = name_group (contact);

  g_ptr_array_add (
      notes, g_strdup_printf ("driver %s %s: it is left out; `tplan devices` "
                              "tries it again", group, fault));
}

/* ---- all of a kind ------------------------------------------------------- */

/* The kind as one, where its drivers cannot be told apart. */
static void
meet_together (Contact *contact, GPtrArray *notes)
{
  const char *const none[] = { NULL };
  g_autofree char *fault = find_fault (contact);

  if (fault == NULL)
    return;
  contact->kind->drivers->narrow (none, NULL);
  add_note (contact, fault, notes);
}

static void
meet_kind (Contact *contact, GPtrArray *notes)
{
  const TpDeviceDrivers *drivers = contact->kind->drivers;
  g_auto (GStrv) files = drivers->list ();
  g_autoptr (GPtrArray) good = g_ptr_array_new ();
  guint n = 0;

  if (files == NULL)
    meet_together (contact, notes);
  for (; files != NULL && files[n] != NULL; n++)
    {
      g_autofree char *fault = NULL;

      contact->file = files[n];
      fault = find_fault (contact);
      if (fault == NULL)
        g_ptr_array_add (good, files[n]);
      else
        add_note (contact, fault, notes);
    }
  if (files == NULL)
    return;
  g_ptr_array_add (good, NULL);
  drivers->narrow (good->len - 1 < n ? (const char *const *) good->pdata
                                     : NULL, NULL);
}

static gboolean
is_meant (const TpDeviceOps *kind, const char *const *devices)
{
  if (kind->drivers == NULL || kind->drivers->list == NULL)
    return FALSE;
  for (int i = 0; devices != NULL && devices[i] != NULL; i++)
    if (tp_device_find_kind (devices[i], NULL) == kind)
      return TRUE;
  return devices == NULL;
}

gboolean
tp_contact_drivers (const char *const *devices, gboolean is_fresh,
                    GPtrArray *notes)
{
  g_autoptr (GKeyFile) known = load_known ();
  gboolean is_met = FALSE, is_changed = FALSE;
  int n;
  const TpDeviceOps *const *kinds = tp_device_list (&n);

  for (int i = 0; i < n; i++)
    {
      Contact contact
          = { .kind = kinds[i], .is_fresh = is_fresh, .known = known };

      if (!is_meant (kinds[i], devices))
        continue;
      meet_kind (&contact, notes);
      is_met = TRUE;
      is_changed |= contact.is_changed;
    }
  if (is_changed)
    save_known (known);
  return is_met;
}
