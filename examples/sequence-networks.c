/* sequence-networks.c: networks that read one token after the other. */
#include "config.h"

#include "net.h"

#include <math.h>

static Value
embed (Net *net, Value tokens, int vocabulary, int width)
{
  Value table = net_weight (net, 1, 2, vocabulary, width);

  return net_op (net, "Gather", "", width, table.name, tokens.name, NULL);
}

/* One layer of LSTM or GRU with @n_gates, in one or two directions. */
static Value
recurrent (Net *net, const char *type, Value x, int hidden, const char *state)
{
  int n_gates = *type == 'L' ? 4 : 3;
  int n_directions = *state ? 1 : 2;
  double std = sqrt (1.0 / hidden);
  Value w = net_weight (net, std, 3, n_directions, n_gates * hidden,
                        x.channels);
  Value r = net_weight (net, std, 3, n_directions, n_gates * hidden, hidden);
  Value b = net_weight (net, 0.05, 2, n_directions, 2 * n_gates * hidden);
  g_autofree char *attrs = g_strdup_printf (
      "\"hidden_size\": %d%s", hidden,
      n_directions == 1
          ? ""
          : ", \"direction\": \"bidirectional\", \"linear_before_reset\": 1");
  g_autofree char *inputs
      = g_strdup_printf ("\"%s\", \"%s\", \"%s\", \"%s\", \"\"%s", x.name,
                         w.name, r.name, b.name, state);

  return net_op_json (net, type, attrs, hidden, inputs, *type == 'L' ? 3 : 2);
}

/* Layer @i of the state of all layers. */
static Value
slice_layer (Net *net, const char *state, int i)
{
  g_autofree char *first = g_strdup_printf ("%d", i);
  g_autofree char *end = g_strdup_printf ("%d", i + 1);

  return net_op (net, "Slice", "", 0, state, net_ints (net, first).name,
                 net_ints (net, end).name, net_ints (net, "0").name, NULL);
}

static Value
join_layers (Net *net, const Value *layers)
{
  return net_op (net, "Concat", "\"axis\": 0", 0, layers[0].name,
                 layers[1].name, NULL);
}

/* ---- the "medium" model of Zaremba et al. 2014 --------------------------- */

static Value
lstm_lm (Net *net, Value tokens)
{
  enum { VOCABULARY = 10000, HIDDEN = 650 };
  Value x = embed (net, tokens, VOCABULARY, HIDDEN), h[2], c[2];

  for (int i = 0; i < 2; i++)
    {
      Value h0 = slice_layer (net, "h0", i), c0 = slice_layer (net, "c0", i);
      g_autofree char *state
          = g_strdup_printf (", \"%s\", \"%s\"", h0.name, c0.name);

      x = recurrent (net, "LSTM", x, HIDDEN, state);
      h[i] = net_get_output (x, 1, HIDDEN);
      c[i] = net_get_output (x, 2, HIDDEN);
      x = net_op (net, "Squeeze", "", HIDDEN, x.name, net_ints (net, "1").name,
                  NULL);
    }
  net_add_output (net, join_layers (net, h));
  net_add_output (net, join_layers (net, c));
  return net_dense (net, x, VOCABULARY, 1);
}

/* ---- a tagger that reads both ways --------------------------------------- */

static Value
gru_tagger (Net *net, Value tokens)
{
  Value x = recurrent (net, "GRU", embed (net, tokens, 5000, 64), 64, "");

  x = net_transpose (net, x, "0, 2, 1, 3", 64); /* directions side by side */
  x = net_reshape (net, x, "0, 0, -1", 128);
  return net_unary (net, "Softmax", net_dense (net, x, 20, 4),
                    "\"axis\": -1");
}

const Network sequence_networks[] = {
  { "lstm_lm", 19780400, 14, "\"N\": 1, \"S\": 35",
    "{\"name\": \"tokens\", \"dtype\": \"int64\", \"shape\": [\"S\", \"N\"]}, "
    "{\"name\": \"h0\", \"shape\": [2, \"N\", 650]}, "
    "{\"name\": \"c0\", \"shape\": [2, \"N\", 650]}",
    { "tokens", 0 }, lstm_lm },
  { "gru_tagger", 372500, 14, "\"N\": 2, \"S\": 20",
    "{\"name\": \"tokens\", \"dtype\": \"int64\", \"shape\": [\"S\", \"N\"]}",
    { "tokens", 0 }, gru_tagger },
  { 0 },
};
