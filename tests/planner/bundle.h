/* bundle.h: files for a checker in Python, all in one call of it. */
#ifndef TP_TESTS_BUNDLE_H
#define TP_TESTS_BUNDLE_H

#include <glib.h>

typedef struct
{
  char *folder;
  GPtrArray *files;           /* argv, the script first */
} TpTestBundle;

void tp_test_bundle_init (TpTestBundle *bundle, const char *script);
void tp_test_bundle_clear (TpTestBundle *bundle);
/* That all are found valid whose names begin with "good", and no others. */
void tp_test_bundle_expect (TpTestBundle *bundle);

#endif
