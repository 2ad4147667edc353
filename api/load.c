/* load.c: options of tplan.h for the readers of models. */
#include "config.h"

#include "api/load.h"

#include "format/load-options.h"

static TpDims *
make_dims (const TplanDim *dims)
{
  g_autoptr (TpDims) table = tp_dims_new ();

  for (int i = 0; dims[i].name != NULL; i++)
    tp_dims_set (table, dims[i].name, dims[i].value);
  return g_steal_pointer (&table);
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
    load->assumed = tp_dims_new ();
  load->options = (TpLoadOptions){ .dims = load->dims,
                                   .assumed = load->assumed,
                                   .limits = &load->limits,
                                   .outputs = options->outputs,
                                   .ties = options->states,
                                   .numbers = options->values,
                                   .load_file = options->load_file,
                                   .load_file_data = options->load_file_data,
                                   .files = get_file_flags (options) };
  return TRUE;
}

gboolean
tp_load_is_of_plan (const TplanLoadOptions *options)
{
  return options == NULL
         || (options->no_pass == NULL && options->states == NULL
             && options->values == NULL && options->outputs == NULL);
}

void
tp_load_note_assumed (TpLoad *load)
{
  int n = load->assumed != NULL ? tp_dims_size (load->assumed) : 0;

  if (n > 0 && load->dims == NULL)
    load->dims = tp_dims_new ();
  for (int i = 0; i < n; i++)
    tp_dims_set (load->dims, tp_dims_get_name (load->assumed, i), 1);
}

void
tp_load_clear (TpLoad *load)
{
  g_clear_pointer (&load->dims, tp_dims_unref);
  g_clear_pointer (&load->assumed, tp_dims_unref);
}
