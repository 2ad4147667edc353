/* make-networks.c: writes the example networks as graph.json.
 *
 * usage: make-networks DIRECTORY [NAME...]                      default: all
 *
 * Architectures are those of the papers, written op by op as exporters do;
 * weights are seeded random numbers, scaled (He et al. 2015) so that activations
 * stay near 1 and a comparison of results means something at every depth. Prints
 * the number of parameters, which must equal the published one. */
#include "config.h"

#include "net.h"

#include <string.h>

static const Network *const families[]
    = { image_networks, transformer_networks, sequence_networks,
        segmentation_networks, decoder_networks };

static char *
format_network (const Network *network, const Net *net, const Value *output)
{
  return g_strdup_printf (
      "{ \"format\": \"tplan-graph/1\", \"name\": \"%s\", \"opset\": %d,\n"
      "  \"dims\": {%s},\n  \"inputs\": [%s%s],\n  \"outputs\": [\"%s\"%s],\n"
      "  \"initializers\": [\n%s\n  ],\n  \"ops\": [\n%s\n  ] }\n",
      network->name, network->opset, network->dims, network->inputs,
      net->inputs->str, output->name, net->outputs->str, net->initializers->str, net->ops->str);
}

static gboolean
write_network (const char *directory, const Network *network, guint64 seed,
               GError **error)
{
  g_autofree char *path
      = g_strdup_printf ("%s/%s.json", directory, network->name);
  g_autofree char *text = NULL;
  Net net;
  Value output;

  net_init (&net, seed);
  output = network->build (&net, network->first);
  text = format_network (network, &net, &output);
  g_print ("%s: %" G_GINT64_FORMAT " parameters, %d ops\n", path,
           net.n_parameters, net.n_ops);
  net_clear (&net);
  if (net.n_parameters != network->n_parameters)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                   "%s: expected %" G_GINT64_FORMAT " parameters", path,
                   network->n_parameters);
      return FALSE;
    }
  return g_file_set_contents (path, text, -1, error);
}

/* Writes those of @family that are in @names, or all; counts them. */
static gboolean
write_family (const char *directory, int family, char *const *names,
              int *n_written, GError **error)
{
  for (int i = 0; families[family][i].name != NULL; i++)
    {
      const Network *network = &families[family][i];

      if (names[0] != NULL
          && !g_strv_contains ((const char *const *) names, network->name))
        continue;
      if (!write_network (directory, network, 10000 * family + 1000 * (i + 1),
                          error))
        return FALSE;
      (*n_written)++;
    }
  return TRUE;
}

int
main (int argc, char **argv)
{
  const char *directory = argc > 1 ? argv[1] : ".";
  char *const *names = argv + MIN (argc, 2);
  int n_written = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    {
      g_autoptr (GError) error = NULL;

      if (!write_family (directory, i, names, &n_written, &error))
        {
          g_printerr ("make-networks: %s\n", error->message);
          return 1;
        }
    }
  if (names[0] != NULL && n_written < argc - 2)
    {
      g_printerr ("make-networks: no such network among those named\n");
      return 2;
    }
  return 0;
}
