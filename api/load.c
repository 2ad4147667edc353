/* load.c: options of tplan.h for the readers of models. */
#include "config.h"

#include "api/load.h"

#include "format/load-options.h"
#include "ir/guard.h"

static TpDims *
make_dims (const TplanDim *dims)
{
  TpDims *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                         g_free);

  for (int i = 0; dims[i].name != NULL; i++)
    g_hash_table_insert (table, g_strdup (dims[i].name),
                         tp_memdup (&dims[i].value, sizeof dims[i].value));
  return table;
}

static gboolean
make_limits (const TplanDim *wanted, TpLimits *limits, GError **error)
{
  tp_limits_init (limits);
  for (int i = 0; wanted != NULL && wanted[i].name != NULL; i++)
    if (!tp_limits_set (limits, wanted[i].name, wanted[i].value, error))
      return FALSE;
  return TRUE;
}

static TpFileFlags
get_file_flags (const TplanLoadOptions *options)
{
  return (options->follow_links ? TP_FILE_FOLLOW_LINKS : TP_FILE_PLAIN)
         | (options->copies_weights ? TP_FILE_COPY : TP_FILE_PLAIN);
}

gboolean
tp_load_init (TpLoad *load, const TplanLoadOptions *options, GError **error)
{
  static const TplanLoadOptions defaults;

  options = options == NULL ? &defaults : options;
  load->dims = NULL;
  load->assumed = NULL;
  load->passes = (TpPassOptions){ .left_out = options->no_pass };
  if (!make_limits (options->limits, &load->limits, error)
      || !tp_pass_check_options (&load->passes, error))
    return FALSE;
  if (options->dims != NULL && options->dims[0].name != NULL)
    load->dims = make_dims (options->dims);
  if (options->assumes_dims)
    load->assumed = g_ptr_array_new_with_free_func (g_free);
  load->options = (TpLoadOptions){ .dims = load->dims,
                                   .assumed = load->assumed,
                                   .limits = &load->limits,
                                   .files = get_file_flags (options) };
  return TRUE;
}

void
tp_load_note_assumed (TpLoad *load)
{
  static const TplanDim none[] = { { NULL, 0 } };
  static const gint64 one = 1;

  for (guint i = 0; load->assumed != NULL && i < load->assumed->len; i++)
    {
      if (load->dims == NULL)
        load->dims = make_dims (none);
      g_hash_table_insert (load->dims, g_strdup (load->assumed->pdata[i]),
                           tp_memdup (&one, sizeof one));
    }
}

void
tp_load_clear (TpLoad *load)
{
  g_clear_pointer (&load->dims, g_hash_table_unref);
  g_clear_pointer (&load->assumed, g_ptr_array_unref);
}
