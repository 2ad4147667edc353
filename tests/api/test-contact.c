/* test-contact.c: a driver that could not be asked, for want of a process, is left out
 * this time, and not from then on. */
#include "config.h"

#include "../view/no-fork.h"
#include "api/contact.h"

#include <glib/gstdio.h>
#include <string.h>

#include "../remove-all.h"

static GPtrArray *
meet (gboolean *out_is_there)
{
  GPtrArray *notes = g_ptr_array_new_with_free_func (g_free);

  *out_is_there = tp_contact_drivers (NULL, FALSE, notes);
  return notes;
}

static void
test_no_process (void)
{
  g_autoptr (GPtrArray) before = NULL, after = NULL;
  gboolean is_there;

  refuse_forks (TRUE);
  before = meet (&is_there);
  refuse_forks (FALSE);
  if (!is_there)
    {
      g_test_skip ("no kind of devices here has drivers");
      return;
    }
  g_assert_cmpint (before->len, ==, 1);
  g_assert_nonnull (strstr (before->pdata[0], "could not be asked"));
  after = meet (&is_there);
  g_assert_cmpint (after->len, ==, 0);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("tplan-contact-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "none.icd", NULL);
  int status;

  g_setenv ("XDG_CACHE_HOME", folder, TRUE); /* before GLib has read it */
  g_setenv ("OCL_ICD_VENDORS", folder, TRUE);
  g_assert_true (g_file_set_contents (file, "libtplan-no-such-driver.so\n", -1,
                                      NULL));
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/contact/no-process", test_no_process);
  status = g_test_run ();
  tp_test_remove_all (folder);
  return status;
}
