/* cases.h: tables of bad files.
 *
 * Lines of a table; what a file holds is indented by two spaces:
 *
 *   # a remark
 *   let NAME REST          REST for @{NAME} in texts, @NAME in bytes
 *   run ARGUMENT...        of `tplan`, for all cases from here on
 *   == NAME                a case, up to the next
 *   run ARGUMENT...        for this case alone
 *   exit N                 the exit status, 3 if not said
 *   says TEXT              "tplan: TEXT" is all that stderr may hold; a second
 *                          one is a second line. 64 hex digits are <sha256>
 *   text FILE              the lines that follow it
 *   bytes FILE             what bytes.h makes of them
 *   make KIND NAME [TO]    symlink, hardlink, fifo, folder
 *   plan                   good.json and a good plan for it, plan.json
 *   edit OLD => NEW        all OLD in plan.json, which is then signed
 *   flip TEXT              another digit behind TEXT in it, likewise
 *   unsigned               ... or not */
#ifndef TEST_BAD_CASES_H
#define TEST_BAD_CASES_H

#include <glib.h>

typedef enum
{
  STEP_TEXT,
  STEP_BYTES,
  STEP_MAKE,
  STEP_PLAN,
  STEP_EDIT,
  STEP_FLIP,
} StepKind;

typedef struct
{
  StepKind kind;
  char *name;                 /* of the file; MAKE: kind; EDIT: old */
  GString *content;           /* MAKE: names; EDIT: new */
} Step;

typedef struct
{
  const char *table;          /* "graph" of graph.cases */
  int line;
  char *name;
  char *run;
  int exit_code;
  GString *says;
  gboolean is_unsigned;
  GPtrArray *steps;           /* Step */
  GHashTable *lets;           /* of the table */
} Case;

/* The cases of @path, a table; ends the program if it is no table. */
GPtrArray *cases_load (const char *path);

#endif
