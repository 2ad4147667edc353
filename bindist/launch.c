/* launch.c: starts a program of a folder that needs nothing installed.
 *
 * bin/NAME is this, linked statically, and runs libexec/NAME of the same folder,
 * wherever that is. The C library is the machine's unless that is too old or not
 * there: then the folder's own, which drivers made for an older one can use as
 * well. An older C library cannot be used with them, so the machine's goes first.
 * TPLAN_GLIBC=own or =system decides otherwise. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef LOADER                /* what programs name as their interpreter */
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#endif
#ifndef NEEDED_MINOR          /* of glibc 2: the latest symbol that we ask for */
#define NEEDED_MINOR 36
#endif
#define MARK "stable release version 2."

static char root[PATH_MAX], name[NAME_MAX + 1];

static void
die (const char *what, const char *about)
{
  fprintf (stderr, "%s: %s: %s\n", name[0] != '\0' ? name : "tplan", about,
           what);
  exit (1);
}

/* Root and name from ".../ROOT/bin/NAME", as the kernel knows it. */
static void
find_root (const char *called)
{
  char path[PATH_MAX];
  ssize_t n = readlink ("/proc/self/exe", path, sizeof path - 1);
  char *slash;

  if (n > 0)
    path[n] = '\0';
  else if (strchr (called, '/') == NULL || realpath (called, path) == NULL)
    die ("cannot tell where it is: call it by its whole path", called);
  slash = strrchr (path, '/');
  if (strlen (slash + 1) >= sizeof name)
    die ("its name is too long", path);
  strcpy (name, slash + 1);
  *slash = '\0';
  slash = strrchr (path, '/');
  if (slash == NULL)
    die ("it is to be in the folder bin of its own", path);
  *slash = '\0';
  strcpy (root, path);
}

/* "ROOT/TAIL" in @path. */
static const char *
under_root (const char *tail, char path[PATH_MAX])
{
  if (snprintf (path, PATH_MAX, "%s/%s", root, tail) >= PATH_MAX)
    die ("its path is too long", root);
  return path;
}

/* The minor version of the machine's glibc: its loader has it in a text, which
 * those before 2.33 lack. 0: too old, or none. */
static int
get_system_minor (void)
{
  int file = open (LOADER, O_RDONLY | O_CLOEXEC), minor = 0;
  struct stat status;
  const char *bytes = MAP_FAILED, *mark = NULL;

  if (file >= 0 && fstat (file, &status) == 0 && status.st_size > 0)
    bytes = mmap (NULL, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes != MAP_FAILED)
    mark = memmem (bytes, status.st_size, MARK, strlen (MARK));
  if (mark != NULL)
    minor = atoi (mark + strlen (MARK));
  if (file >= 0)
    close (file);
  return minor;
}

static int
wants_own_glibc (void)
{
  const char *choice = getenv ("TPLAN_GLIBC");

  if (choice != NULL && strcmp (choice, "own") == 0)
    return 1;
  if (choice != NULL && strcmp (choice, "system") == 0)
    return 0;
  return get_system_minor () < NEEDED_MINOR;
}

/* By the folder's own loader, which looks in its own folder, then where
 * LD_LIBRARY_PATH says. */
static void
run_with_own_glibc (const char *program, char **argv, int argc)
{
  char loader[PATH_MAX], folder[PATH_MAX];
  const char *more = getenv ("LD_LIBRARY_PATH");
  const char **arguments = calloc (argc + 5, sizeof *arguments);
  char *folders;

  under_root ("lib/glibc/ld.so", loader);
  under_root ("lib/glibc", folder);
  if (arguments == NULL
      || asprintf (&folders, "%s%s%s", folder, more != NULL ? ":" : "",
                   more != NULL ? more : "") < 0)
    die (strerror (ENOMEM), program);
  arguments[0] = loader;
  arguments[1] = "--library-path";
  arguments[2] = folders;
  arguments[3] = program;
  for (int i = 1; i < argc; i++)
    arguments[i + 3] = argv[i];
  execv (loader, (char **) arguments);
  die (strerror (errno), loader);
}

int
main (int argc, char **argv)
{
  char tail[NAME_MAX + 16], program[PATH_MAX], plugins[PATH_MAX];

  find_root (argc > 0 ? argv[0] : "");
  if (getauxval (AT_SECURE))
    die ("it is not made to be set-user-ID", root);
  snprintf (tail, sizeof tail, "libexec/%s", name);
  under_root (tail, program);
  /* What draws pictures looks for its plugins where it was installed. */
  setenv ("GVBINDIR", under_root ("lib/graphviz", plugins), 0);
  if (wants_own_glibc ())
    run_with_own_glibc (program, argv, argc);
  execv (program, argv);
  die (strerror (errno), program);
}
