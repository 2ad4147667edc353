/* tuned.c: see tuned.h.
 *
 * The table keeps what was timed, not what the model thought of it: that is found
 * anew, and so tells of the model as it is. */
#include "config.h"

#include "calib/tuned.h"

#include "calib/accuracy.h"
#include "calib/columns.h"
#include "calib/device-match.h"
#include "calib/links.h"
#include "calib/tune.h"
#include "calib/tuned-sums.h"
#include "ir/map.h"
#include "ir/name-hash.h"
#include "runtime/devices.h"
#include "schedule/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_DIGITS 8        /* of a digest that names a kernel */

static void
choice_free (gpointer data)
{
  TpTunedChoice *choice = data;

  g_free (choice->schedule);
  g_free (choice);
}

static void
kernel_free (gpointer data)
{
  TpTunedKernel *kernel = data;

  g_free (kernel->label);
  g_free (kernel->digest);
  g_free (kernel->family);
  tp_pointers_free (kernel->choices);
  g_free (kernel);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpTunedKernel, kernel_free)

void
tp_tuned_free (TpTuned *tuned)
{
  if (tuned == NULL)
    return;
  g_free (tuned->device);
  tp_pointers_free (tuned->kernels);
  g_free (tuned);
}

/* ---- judging ------------------------------------------------------------- */

static int
compare_choices (const void *a, const void *b)
{
  int x = (*(TpTunedChoice *const *) a)->rank;
  int y = (*(TpTunedChoice *const *) b)->rank;

  return (x == 0) != (y == 0) ? (x == 0) - (y == 0) : (x > y) - (x < y);
}

static double
find_relative_half (const TpStats *stats)
{
  return (double) stats->half_ns / MAX (stats->median_ns, 1);
}

static TpGain
find_gain (const TpPointers *choices)
{
  const TpTunedChoice *first = NULL, *used = NULL;
  int n_timed = 0;

  for (guint i = 0; i < choices->len; i++)
    {
      const TpTunedChoice *it = choices->pdata[i];

      if (it->stats.n == 0)
        continue;
      n_timed++;
      if (it->rank == 1)
        first = it;
      if (it->is_used)
        used = it;
    }
  if (first == NULL || used == NULL || used->stats.median_ns <= 0
      || n_timed < 2)
    return (TpGain){ NAN, NAN };
  if (first == used)
    return (TpGain){ 1.0, 0.0 };
  return (TpGain){ (double) first->stats.median_ns / used->stats.median_ns,
                   hypot (find_relative_half (&first->stats),
                          find_relative_half (&used->stats)) };
}

/* A rank, and a time. */
static gboolean
has_both (const TpTunedChoice *choice)
{
  return choice->rank > 0 && choice->stats.n > 0;
}

/* Of those that have both, how many are below @it, those equal to it by halves:
 * in time, or in the model's rank. */
static double
count_below (const TpPointers *choices, const TpTunedChoice *it,
             gboolean is_time)
{
  double n = 0;

  for (guint i = 0; i < choices->len; i++)
    {
      const TpTunedChoice *other = choices->pdata[i];
      gint64 a = is_time ? other->stats.median_ns : other->rank;
      gint64 b = is_time ? it->stats.median_ns : it->rank;

      if (has_both (other))
        n += a < b ? 1 : a == b ? 0.5 : 0;
    }
  return n;
}

/* Pearson's of both ranks, which are right with ties too. */
static double
find_correlation (const TpPointers *choices)
{
  double n = 0, xx = 0, yy = 0, xy = 0;

  for (guint i = 0; i < choices->len; i++)
    n += has_both (choices->pdata[i]);
  for (guint i = 0; i < choices->len; i++)
    {
      const TpTunedChoice *it = choices->pdata[i];
      double x = count_below (choices, it, FALSE) - n / 2;
      double y = count_below (choices, it, TRUE) - n / 2;

      if (!has_both (it))
        continue;
      xx += x * x;
      yy += y * y;
      xy += x * y;
    }
  return n >= 3 && xx > 0 && yy > 0 ? xy / sqrt (xx * yy) : NAN;
}

void
tp_tuned_judge (TpTuned *tuned)
{
  TpTunedMean mean = { 0 };

  for (guint i = 0; i < tuned->kernels->len; i++)
    {
      TpTunedKernel *it = tuned->kernels->pdata[i];

      qsort (it->choices->pdata, it->choices->len, sizeof (gpointer),
             compare_choices);
      it->gain = find_gain (it->choices);
      it->correlation = find_correlation (it->choices);
      tp_tuned_mean_add (&mean, it);
    }
  tuned->gain = tp_tuned_mean_get_gain (&mean);
  tuned->correlation = tp_tuned_mean_get_correlation (&mean);
}

/* ---- what was timed ------------------------------------------------------ */

/* Of one kernel. */
typedef struct
{
  TpPointers *rows;           /* (unowned) TpEntryRow, each of another schedule */
  const TpEntryRow *used;     /* the fastest of those that are not only tried, and
                               * accurate enough; NULL: none is */
  gboolean is_tuned, is_relaxed;
} Timed;

static void
timed_free (gpointer data)
{
  Timed *timed = data;

  tp_pointers_free (timed->rows);
  g_free (timed);
}

static char *
name_kernel (const char *digest, const char *dtype)
{
  return g_strjoin ("\n", digest, dtype, NULL);
}

/* The own table comes first, and its rows count. */
static void
add_row (TpMap *kernels, const TpCostDb *db, TpEntryRow *row)
{
  g_autofree char *name = name_kernel (row->digest, row->dtype);
  Timed *timed = tp_map_lookup (kernels, name);

  if (row->state == TP_ENTRY_FAILED)
    return;
  if (timed == NULL)
    {
      timed = g_new0 (Timed, 1);
      tp_map_insert (kernels, g_steal_pointer (&name), timed);
      timed->rows = tp_pointers_new (NULL);
    }
  for (guint i = 0; i < timed->rows->len; i++)
    if (strcmp (((TpEntryRow *) timed->rows->pdata[i])->schedule,
                row->schedule) == 0)
      return;
  tp_pointers_add (timed->rows, row);
  timed->is_tuned |= row->state == TP_ENTRY_TRIED;
  timed->is_relaxed |= tp_program_is_relaxed (row->schedule);
  if (row->state != TP_ENTRY_TRIED && tp_accuracy_is_met (db, row)
      && (timed->used == NULL
          || row->stats.median_ns < timed->used->stats.median_ns))
    timed->used = row;
}

/* ---- what the model thinks of it ----------------------------------------- */

typedef struct
{
  int at;                     /* in the order they would be tried */
  double regret;
} Candidate;

static int
compare_candidates (const void *a, const void *b)
{
  const Candidate *x = a, *y = b;

  if (x->regret != y->regret)
    return x->regret < y->regret ? -1 : 1;
  return x->at - y->at;
}

static TpTunedChoice *
add_choice (TpPointers *choices, const char *schedule)
{
  TpTunedChoice *choice = g_new0 (TpTunedChoice, 1);

  choice->schedule = g_strdup (schedule);
  choice->regret = NAN;
  tp_pointers_add (choices, choice);
  return choice;
}

static TpTunedChoice *
find_choice (const TpPointers *choices, const char *schedule)
{
  for (guint i = 0; i < choices->len; i++)
    if (strcmp (((TpTunedChoice *) choices->pdata[i])->schedule, schedule)
        == 0)
      return choices->pdata[i];
  return NULL;
}

/* "contract", "reduce+items": the family of each nest's schedule, in their order. */
static char *
describe_families (const char *schedule)
{
  g_auto (GStrv) nests = g_strsplit (schedule, "; ", -1);

  for (int i = 0; nests[i] != NULL; i++)
    nests[i][strcspn (nests[i], " ")] = '\0';
  return g_strjoinv ("+", nests);
}

static gboolean
asks_all (const TpTunedScope *scope)
{
  return scope->is_all || scope->kernel != NULL;
}

/* Sets the ranks of @choices; adds what else would be timed, if that is asked for.
 * @timed: (nullable). Returns the model's first. */
static char *
rank_choices (const TpKey *key, const TpTarget *target, const Timed *timed,
              const TpTunedScope *scope, TpPointers *choices)
{
  g_autoptr (TpArray) regrets = tp_array_new (sizeof (double));
  g_autoptr (TpPointers) texts = tp_program_list_candidates (
      key->lowered, target, TP_TUNE_CANDIDATES,
      scope->is_relaxed || (timed != NULL && timed->is_relaxed), regrets);
  g_autofree Candidate *ranked = g_new (Candidate, texts->len + 1);

  for (guint i = 0; i < texts->len; i++)
    ranked[i] = (Candidate){ i, tp_array_index (regrets, double, i) };
  if (texts->len > 0)
    qsort (ranked, texts->len, sizeof *ranked, compare_candidates);
  for (guint k = 0; k < texts->len; k++)
    {
      const char *text = texts->pdata[ranked[k].at];
      TpTunedChoice *choice = find_choice (choices, text);

      if (choice == NULL && asks_all (scope))
        choice = add_choice (choices, text);
      if (choice == NULL)
        continue;
      choice->rank = k + 1;
      choice->regret = ranked[k].regret;
    }
  return g_strdup (texts->len > 0 ? texts->pdata[ranked[0].at] : "");
}

/* ---- reading ------------------------------------------------------------- */

static void
add_timed (const Timed *timed, TpPointers *choices)
{
  for (guint i = 0; i < timed->rows->len; i++)
    {
      const TpEntryRow *row = timed->rows->pdata[i];
      TpTunedChoice *choice = add_choice (choices, row->schedule);

      choice->is_used = row == timed->used;
      choice->stats = row->stats;
    }
}

/* @timed: (nullable) */
static TpTunedKernel *
make_kernel (const TpKey *key, const Timed *timed, const TpTarget *target,
             const TpTunedScope *scope)
{
  g_autoptr (TpTunedKernel) kernel = g_new0 (TpTunedKernel, 1);
  g_autofree char *first = NULL;

  kernel->label = g_strdup (key->label);
  kernel->digest = g_strdup (key->digest);
  kernel->choices = tp_pointers_new (choice_free);
  kernel->is_tuned = timed != NULL && timed->is_tuned;
  if (timed != NULL)
    add_timed (timed, kernel->choices);
  first = rank_choices (key, target, timed, scope, kernel->choices);
  kernel->family = describe_families (first);
  if (asks_all (scope))
    kernel->n_choices = tp_program_count_choices (key->lowered, target);
  return g_steal_pointer (&kernel);
}

static gboolean
read_target (const TpTunedScope *scope, TpTarget *out_target, GError **error)
{
  const TpDeviceOptions options = { .n_threads = scope->n_threads };
  g_autoptr (TpDevice) opened
      = tp_device_open (scope->device, &options, error);
  TpDeviceInfo info;

  if (opened == NULL)
    return FALSE;
  opened->ops->describe (opened, &info);
  *out_target = info.target;
  tp_device_info_clear (&info);
  return TRUE;
}

static gboolean
is_named (const TpKey *key, const char *name)
{
  return g_pattern_match_simple (name, key->label)
         || (strlen (name) >= LEAST_DIGITS && g_str_has_prefix (key->digest, name));
}

static gboolean
is_wanted (const TpKey *key, const Timed *timed, const TpTunedScope *scope)
{
  return key->lowered != NULL
         && (scope->kernel == NULL || is_named (key, scope->kernel))
         && (asks_all (scope) || (timed != NULL && timed->is_tuned));
}

/* Adds those of @keys that are asked for to @tuned. */
static gboolean
add_kernels (TpTuned *tuned, const TpKeys *keys, const TpMap *timed,
             const TpTunedScope *scope, GError **error)
{
  g_autoptr (GHashTable) none = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (TpArray) links = tp_links_list (keys, tuned->device, none, TP_PASS_FUSED);
  g_autoptr (TpMap) found = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL);
  TpTarget target = { 0 };

  for (guint i = 0; i < links->len; i++)
    {
      const TpKey *key = &keys->keys[tp_array_index (links, int, i)];
      g_autofree char *name = name_kernel (key->digest, key->dtype);
      const Timed *its = tp_map_lookup (timed, name);
      TpTunedKernel *kernel = tp_map_lookup (found, key->digest);

      if (!is_wanted (key, its, scope))
        continue;
      if (target.lanes == 0 && !read_target (scope, &target, error))
        return FALSE;
      if (kernel == NULL)
        {
          kernel = make_kernel (key, its, &target, scope);
          tp_pointers_add (tuned->kernels, kernel);
          tp_map_insert (found, kernel->digest, kernel);
        }
      kernel->n_places++;
    }
  return TRUE;
}

/* Of both tables; @lists keep the rows. */
static gboolean
read_rows (const TpDeviceMatch *match, TpPointers *lists, TpMap *timed,
           GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (match->rows); i++)
    {
      TpPointers *rows;

      if (match->rows[i] == NULL)
        continue;
      rows = tp_cost_db_list_entries (match->dbs[i], match->rows[i]->id, NULL,
                                      error);
      if (rows == NULL)
        return FALSE;
      tp_pointers_add (lists, rows);
      for (guint k = 0; k < rows->len; k++)
        add_row (timed, match->dbs[i], rows->pdata[k]);
    }
  return TRUE;
}

TpTuned *
tp_tuned_read (TpCostDb *db, const TpKeys *keys, const TpTunedScope *scope,
               GError **error)
{
  g_autoptr (TpTuned) tuned = g_new0 (TpTuned, 1);
  g_autoptr (TpPointers) lists
      = tp_pointers_new ((GDestroyNotify) tp_pointers_free);
  g_autoptr (TpMap) timed
      = tp_map_new (tp_name_hash, g_str_equal, g_free, timed_free);
  g_auto (TpDeviceMatch) match = { 0 };

  tp_accuracy_set (db, scope->is_relaxed);
  tuned->device = g_strdup (scope->device);
  tuned->kernels = tp_pointers_new (kernel_free);
  if (!tp_device_match_init (&match, db, scope->device, scope->n_threads,
                             error)
      || !read_rows (&match, lists, timed, error)
      || !add_kernels (tuned, keys, timed, scope, error))
    return NULL;
  tp_tuned_judge (tuned);
  return g_steal_pointer (&tuned);
}
