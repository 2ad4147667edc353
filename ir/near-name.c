/* near-name.c: which name was meant by one that is mistyped: the distance of
 * Damerau and Levenshtein, in which no letter is touched twice. */
#include "config.h"

#include "ir/near-name.h"

#include <string.h>

#define LONGEST 63
#define LEAST_PREFIX 3
#define MOST_LISTED 8

static int
find_least (int a, int b, int c)
{
  return MIN (a, MIN (b, c));
}

static gboolean
is_same (char a, char b)
{
  return g_ascii_tolower (a) == g_ascii_tolower (b);
}

int
tp_near_name_distance (const char *a, const char *b)
{
  int n_a = (int) strlen (a), n_b = (int) strlen (b);
  int rows[3][LONGEST + 1]; /* of the last three letters of @a */

  if (n_a > LONGEST || n_b > LONGEST)
    return MAX (n_a, n_b);
  for (int k = 0; k <= n_b; k++)
    rows[0][k] = k;
  for (int i = 1; i <= n_a; i++)
    {
      int *row = rows[i % 3];
      const int *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

      row[0] = i;
      for (int k = 1; k <= n_b; k++)
        {
          row[k] = find_least (last[k] + 1, row[k - 1] + 1,
                               last[k - 1] + !is_same (a[i - 1], b[k - 1]));
          if (i > 1 && k > 1 && is_same (a[i - 1], b[k - 2])
              && is_same (a[i - 2], b[k - 1]))
            row[k] = MIN (row[k], before[k - 2] + 1);
        }
    }
  return rows[n_a % 3][n_b];
}

/* One that only @typed begins. */
static const char *
find_begun (const char *typed, const char *const *known)
{
  gsize length = strlen (typed);
  const char *found = NULL;

  for (int i = 0; length >= LEAST_PREFIX && known[i] != NULL; i++)
    if (g_ascii_strncasecmp (typed, known[i], length) == 0)
      {
        if (found != NULL)
          return NULL;
        found = known[i];
      }
  return found;
}

const char *
tp_near_name_find (const char *typed, const char *const *known)
{
  const char *found = NULL;
  int least = MAX (1, (int) strlen (typed) / 3);

  for (int i = 0; known[i] != NULL; i++)
    {
      int distance = tp_near_name_distance (typed, known[i]);

      if (distance > least || (found != NULL && distance == least))
        continue;
      if (distance >= (int) strlen (known[i]))
        continue; /* nothing of it was typed */
      found = known[i];
      least = distance;
    }
  return found != NULL ? found : find_begun (typed, known);
}

char *
tp_near_name_ask (const char *typed, const char *const *known)
{
  const char *found = tp_near_name_find (typed, known);

  return found == NULL ? g_strdup ("")
                       : g_strdup_printf (" (did you mean '%s'?)", found);
}

char *
tp_near_name_list (const char *const *known)
{
  g_autoptr (GString) list = g_string_new (known[0] == NULL ? ": leave it out" : "");

  for (int i = 0; known[i] != NULL && i <= MOST_LISTED; i++)
    g_string_append_printf (list, "%s%s", i == 0 ? ": there are " : ", ",
                            i < MOST_LISTED ? known[i] : "...");
  return g_string_free (g_steal_pointer (&list), FALSE);
}
