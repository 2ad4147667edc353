/* test-json.c: graphs in JSON, good and bad. */
#include "config.h"

#include "format/graph-load.h"
#include "graph/pass.h"
#include "ir/foreign-text.h"
#include "ir/graph-value.h"
#include "ir/graph.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define HEAD "{\"format\": \"tplan-graph/1\", "
#define INPUT "\"inputs\": [{\"name\": \"x\", \"shape\": [2, 3]}], "
#define RELU                                                                  \
  "\"ops\": [{\"type\": \"Relu\", \"inputs\": [\"x\"], \"outputs\": "         \
  "[\"y\"]}], "
#define OUTPUT "\"outputs\": [\"y\"]}"

static TpGraph *
load (const char *text, TpDims *dims, GError **error)
{
  return tp_graph_load_json ("g.json", text, strlen (text), dims, error);
}

static TpGraph *
load_well (const char *text)
{
  g_autoptr (GError) error = NULL;
  TpGraph *graph = load (text, NULL, &error);

  g_assert_no_error (error);
  return graph;
}

static void
test_mlp (void)
{
  g_autoptr (TpGraph) graph = load_well (
      HEAD "\"name\": \"mlp\", \"opset\": 13, \"dims\": {\"N\": 4}, "
           "\"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\", "
           "\"shape\": [\"N\", 3]}], "
           "\"initializers\": [{\"name\": \"w\", \"shape\": [3, 5], "
           "\"random\": {\"seed\": 1, \"std\": 0.05}}, "
           "{\"name\": \"b\", \"shape\": [5], \"fill\": 0.5}, "
           "{\"name\": \"s\", \"shape\": [], \"data\": [2]}], "
           "\"ops\": [{\"name\": \"m\", \"type\": \"MatMul\", \"inputs\": "
           "[\"x\", \"w\"], \"outputs\": [\"h\"], \"device\": \"cpu\"}, "
           "{\"type\": \"Add\", \"inputs\": [\"h\", \"b\"], \"outputs\": "
           "[\"z\"], \"device\": [\"cpu\", \"opencl:0\"], "
           "\"cost\": {\"cpu\": 7}}, "
           "{\"type\": \"Add\", \"inputs\": [\"z\", \"s\"], \"outputs\": "
           "[\"y\"]}], " OUTPUT);
  const TpTensor *y = &graph->tensors[graph->outputs[0]];

  g_assert_cmpstr (graph->name, ==, "mlp");
  g_assert_cmpint (graph->opset, ==, 13);
  g_assert_cmpint (graph->nodes[0].opset, ==, 13);
  g_assert_cmpint (y->rank, ==, 2);
  g_assert_cmpint (y->dims[0], ==, 4);
  g_assert_cmpint (y->dims[1], ==, 5);
  g_assert_cmpstr (graph->nodes[0].pins[0], ==, "cpu");
  g_assert_null (graph->nodes[0].pins[1]);
  g_assert_cmpstr (graph->nodes[1].pins[1], ==, "opencl:0");
  g_assert_cmpint (graph->nodes[1].costs[0].time_ns, ==, 7);
  g_assert_cmpstr (graph->nodes[0].place, ==, "ops[0]");
}

static void
test_dims (void)
{
  static const char text[]
      = HEAD "\"dims\": {\"N\": 4}, \"inputs\": [{\"name\": \"x\", \"shape\": "
             "[\"N\", \"M\"]}], " RELU OUTPUT;
  g_autoptr (TpDims) dims = tp_dims_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = load (text, NULL, &error);

  g_assert_null (graph);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "--dim M="));
  g_clear_error (&error);
  tp_dims_set (dims, "M", 5);
  graph = load (text, dims, &error);
  g_assert_no_error (error);
  g_assert_cmpint (graph->tensors[graph->inputs[0]].dims[0], ==, 4);
  tp_graph_unref (graph);
  tp_dims_set (dims, "N", 9);
  graph = load (text, dims, &error);
  g_assert_no_error (error);
  g_assert_cmpint (graph->tensors[graph->inputs[0]].dims[0], ==, 9);
  tp_graph_unref (graph);
  tp_dims_set (dims, "Q", 9);
  graph = load (text, dims, &error);
  g_assert_null (graph);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
}

static void
test_opaque (void)
{
  g_autoptr (TpGraph) graph = load_well (
      HEAD INPUT
      "\"ops\": [{\"type\": \"Mystery\", \"inputs\": [\"x\", \"\"], "
      "\"outputs\": [\"y\", \"z\"], \"cost\": {\"cpu\": 10, \"opencl:0\": 3}, "
      "\"attrs\": {\"k\": [1, 2.5], \"s\": \"t\", \"n\": -3, "
      "\"l\": [\"u\", \"v\"]}, "
      "\"shapes\": [[2, 7], []], \"dtypes\": [\"float32\", \"int64\"]}], "
      OUTPUT);
  const TpNode *node = &graph->nodes[0];
  const char *const *strings = NULL;
  int n_strings = 0;

  g_assert_null (node->op);
  g_assert_cmpint (node->inputs[1], ==, -1);
  g_assert_cmpint (node->n_costs, ==, 2);
  g_assert_cmpint (tp_node_get_int (node, "n", 0), ==, -3);
  g_assert_cmpstr (tp_node_get_string (node, "s", ""), ==, "t");
  g_assert_cmpint (tp_node_find_attr (node, "k")->kind, ==, TP_ATTR_FLOATS);
  strings = tp_node_get_strings (node, "l", &n_strings);
  g_assert_cmpint (n_strings, ==, 2);
  g_assert_cmpstr (strings[1], ==, "v");
  g_assert_cmpint (graph->tensors[node->outputs[0]].dims[1], ==, 7);
  g_assert_cmpint (graph->tensors[node->outputs[1]].rank, ==, 0);
  g_assert_cmpint (graph->tensors[node->outputs[1]].size_bytes, ==, 8);
}

/* ---- bad input --------------------------------------------------------- */

typedef struct
{
  const char *name;
  const char *text;
  const char *pattern;        /* of the message */
  int code;
} Case;

#define OP(body) HEAD INPUT "\"ops\": [{" body "}], " OUTPUT
#define INIT(body)                                                            \
  HEAD INPUT "\"initializers\": [{\"name\": \"w\", " body "}], " RELU OUTPUT
#define PART_NODE "{\"id\": 1, \"cpuLatency\": 1, \"fpgaLatency\": 1}"
#define STATE(shape, more)                                                    \
  HEAD INPUT "\"state\": [{\"name\": \"s\", \"shape\": " shape more "}], "
/* z = x + s, y = relu (z) */
#define ADD                                                                   \
  "\"ops\": [{\"name\": \"add\", \"type\": \"Add\", \"inputs\": [\"x\", "      \
  "\"s\"], \"outputs\": [\"z\"]}, {\"name\": \"relu\", \"type\": \"Relu\", "     \
  "\"inputs\": [\"z\"], \"outputs\": [\"y\"]}], "
#define BAD TPLAN_ERROR_INPUT

static const Case cases[] = {
  { "empty", "", "g.json:1:0: *", BAD },
  { "not-json", "hello", "g.json:1:*: *", BAD },
  { "cut", HEAD "\"ops\": [", "g.json:1:*", BAD },
  { "line", "{\n\n  \"format\": }", "g.json:3:*", BAD },
  { "twice", "{\"format\": 1,\n \"format\": 2}", "g.json:2:*uplicate*", BAD },
  { "big-integer", "{\"opset\": 99999999999999999999}", "g.json:1:*", BAD },
  { "list", "[]", "g.json: is a list, must be an object", BAD },
  { "format", "{\"format\": \"v9\"}", "g.json: format: *tplan-graph/1*", BAD },
  { "no-format", "{}", "g.json: format: is missing*", BAD },
  { "unknown-key", HEAD "\"oops\": 1}", "g.json: unknown key \"oops\"*", BAD },
  { "no-outputs", HEAD INPUT "\"ops\": []}", "g.json: outputs: *no outputs",
    BAD },
  { "opset", HEAD "\"opset\": 0}", "g.json: opset: *", BAD },
  { "bad-dim", HEAD "\"dims\": {\"N\": 0}}", "g.json: dims.N: *", BAD },
  { "negative-dim",
    HEAD "\"inputs\": [{\"name\": \"x\", \"shape\": [-2]}], " RELU OUTPUT,
    "g.json: inputs?0?.shape?0?: *>= 0*", BAD },
  { "overflow",
    HEAD "\"inputs\": [{\"name\": \"x\", \"shape\": [4611686018427387904, 8]}]"
         ", " RELU OUTPUT,
    "g.json: inputs?0?: *overflows*", BAD },
  { "rank",
    HEAD "\"inputs\": [{\"name\": \"x\", \"shape\": [1,1,1,1,1,1,1,1,1]}], "
    RELU OUTPUT, "g.json: inputs?0?.shape: *8 dim*", BAD },
  { "dtype",
    HEAD "\"inputs\": [{\"name\": \"x\", \"dtype\": \"f32\", \"shape\": []}], "
    RELU OUTPUT, "g.json: inputs?0?.dtype: *\"f32\"*float32*", BAD },
  { "unknown-op", OP ("\"type\": \"Warp\", \"inputs\": [\"x\"], \"outputs\": "
                      "[\"y\"]"),
    "g.json: ops?0?: *'Warp'*tplan ops*", TPLAN_ERROR_UNSUPPORTED },
  { "no-type", OP ("\"inputs\": [\"x\"], \"outputs\": [\"y\"]"),
    "g.json: ops?0?.type: is missing*", BAD },
  { "unknown-attr", OP ("\"type\": \"Relu\", \"inputs\": [\"x\"], "
                        "\"outputs\": [\"y\"], \"attrs\": {\"slope\": 1}"),
    "g.json: ops?0?: Relu has no attribute 'slope'*", BAD },
  { "attr-value", OP ("\"type\": \"Relu\", \"inputs\": [\"x\"], "
                      "\"outputs\": [\"y\"], \"attrs\": {\"slope\": {}}"),
    "g.json: ops?0?.attrs.slope: *", BAD },
  { "function-attr", OP ("\"type\": \"NegativeLogLikelihoodLoss\", "
                         "\"inputs\": [\"x\", \"x\"], \"outputs\": [\"y\"], "
                         "\"attrs\": {\"reduction\": \"max\"}"),
    "g.json: ops?0?: reduction 'max' is not known*", BAD },
  { "function-name", OP ("\"type\": \"HannWindow\", \"inputs\": [\"x\"], "
                         "\"outputs\": [\"y\"], \"attrs\": {\"size\": 3}"),
    "g.json: ops?0?: HannWindow has no attribute 'size'; it has *", BAD },
  { "function-input", OP ("\"type\": \"HannWindow\", \"inputs\": [], "
                          "\"outputs\": [\"y\"]"),
    "g.json: ops?0?: HannWindow needs input 0", BAD },
  { "mixed-list", OP ("\"type\": \"LeakyRelu\", \"inputs\": [\"x\"], "
                      "\"outputs\": [\"y\"], \"attrs\": {\"alpha\": "
                      "[\"a\", 1]}"),
    "g.json: ops?0?.attrs.alpha: *of strings*", BAD },
  { "arity", OP ("\"type\": \"Add\", \"inputs\": [\"x\"], \"outputs\": "
                 "[\"y\"]"),
    "g.json: ops?0?: Add has 1 inputs, needs at least 2", BAD },
  { "arity-more", OP ("\"type\": \"Relu\", \"inputs\": [\"x\", \"x\"], "
                      "\"outputs\": [\"y\"]"),
    "g.json: ops?0?: Relu has 2 inputs, takes at most 1", BAD },
  { "left-out", OP ("\"type\": \"Add\", \"inputs\": [\"x\", \"\"], "
                    "\"outputs\": [\"y\"]"),
    "g.json: ops?0?: input 1 of Add may not be left out", BAD },
  { "outputs", OP ("\"type\": \"Relu\", \"inputs\": [\"x\"], \"outputs\": "
                   "[\"y\", \"z\"]"),
    "g.json: ops?0?: Relu has 2 outputs*", BAD },
  { "undefined", OP ("\"type\": \"Relu\", \"inputs\": [\"q\"], \"outputs\": "
                     "[\"y\"]"),
    "g.json: ops?0?.inputs?0?: no op*'q'*", BAD },
  { "early",
    HEAD INPUT "\"ops\": [{\"type\": \"Add\", \"inputs\": [\"x\", \"y\"], "
               "\"outputs\": [\"z\"]}, {\"type\": \"Relu\", \"inputs\": "
               "[\"z\"], \"outputs\": [\"y\"]}], " OUTPUT,
    "g.json: ops?0?.inputs?1?: *'y' is used before it is defined, by ops?1?*",
    BAD },
  { "input-type", OP ("\"type\": \"Relu\", \"inputs\": [3], \"outputs\": "
                      "[\"y\"]"),
    "g.json: ops?0?.inputs?0?: is an integer, must be a string", BAD },
  { "same-output", OP ("\"type\": \"Relu\", \"inputs\": [\"x\"], "
                       "\"outputs\": [\"x\"]"),
    "g.json: ops?0?: tensor 'x' is already defined at inputs?0?*", BAD },
  { "same-name",
    HEAD INPUT "\"ops\": [{\"name\": \"a\", \"type\": \"Relu\", \"inputs\": "
               "[\"x\"], \"outputs\": [\"z\"]}, {\"name\": \"a\", \"type\": "
               "\"Relu\", \"inputs\": [\"z\"], \"outputs\": [\"y\"]}], "
    OUTPUT, "g.json: ops?1?: *another op 'a'*", BAD },
  { "empty-name", OP ("\"name\": \"\", \"type\": \"Relu\", \"inputs\": "
                      "[\"x\"], \"outputs\": [\"y\"]"),
    "g.json: ops?0?: a name must not be empty", BAD },
  { "pin", OP ("\"type\": \"Relu\", \"inputs\": [\"x\"], \"outputs\": "
               "[\"y\"], \"device\": []"), "g.json: ops?0?.device: *", BAD },
  { "cost", OP ("\"type\": \"Relu\", \"inputs\": [\"x\"], \"outputs\": "
                "[\"y\"], \"cost\": {\"cpu\": -1}"),
    "g.json: ops?0?.cost.cpu: *", BAD },
  { "part-node", "{\"nodes\": [3], \"edges\": []}",
    "g.json: nodes?0?: must be an object", BAD },
  { "part-id", "{\"nodes\": [{\"id\": 1.5}], \"edges\": []}",
    "g.json: nodes?0?.id: must be an integer", BAD },
  { "part-no-time", "{\"nodes\": [{\"id\": 1}], \"edges\": []}",
    "g.json: nodes?0?.cpuLatency: is missing*", BAD },
  { "part-huge", "{\"nodes\": [{\"id\": 1, \"cpuLatency\": 1e300}], "
    "\"edges\": []}", "g.json: nodes?0?.cpuLatency: must be a number*", BAD },
  { "part-twice", "{\"nodes\": [" PART_NODE ", " PART_NODE "], \"edges\": []}",
    "g.json: nodes?1?.id: another node has the id 1*", BAD },
  { "part-costs", "{\"nodes\": [" PART_NODE "], \"edges\": [{\"sourceId\": 1, "
    "\"destId\": 1, \"cost\": 1}, {\"sourceId\": 1, \"destId\": 1, "
    "\"cost\": 2}]}", "g.json: edges?1?.cost: another edge of node 1*", BAD },
  { "part-cycle", "{\"nodes\": [" PART_NODE "], \"edges\": [{\"sourceId\": 1, "
    "\"destId\": 1, \"cost\": 1}]}", "g.json: *", BAD },
  { "part-empty", "{\"nodes\": [], \"edges\": []}",
    "g.json: outputs: *no outputs", BAD },
  { "spread", OP ("\"type\": \"Relu\", \"inputs\": [\"x\"], \"outputs\": "
                  "[\"y\"], \"cost\": {\"cpu\": [1, -2]}"),
    "g.json: ops?0?.cost.cpu: *95 % interval*", BAD },
  { "copies", HEAD INPUT RELU "\"copies\": {\"y\": {\"cpu\": 1.5}}, " OUTPUT,
    "g.json: copies.y.cpu: must be nanoseconds*", BAD },
  { "copies-half", HEAD INPUT RELU "\"copies\": {\"y\": {\"cpu\": "
    "{\"to\": 1}}}, " OUTPUT, "g.json: copies.y.cpu.from: must be*", BAD },
  { "copies-none", HEAD INPUT RELU "\"copies\": {\"q\": {\"cpu\": 1}}, "
    OUTPUT, "g.json: copies.q: no op*", BAD },
  { "copies-list", HEAD INPUT RELU "\"copies\": [], " OUTPUT,
    "g.json: copies: must be an object", BAD },
  { "colocation", OP ("\"type\": \"Relu\", \"inputs\": [\"x\"], \"outputs\": "
                      "[\"y\"], \"colocation\": \"\""),
    "g.json: ops?0?.colocation: a name must not be empty", BAD },
  { "state-unread", STATE ("[2, 3]", "") RELU OUTPUT,
    "g.json: state?0?: no op reads the state 's'*", BAD },
  { "state-next", STATE ("[2, 3]", ", \"next\": \"q\"") ADD OUTPUT,
    "g.json: state?0?.next: no op*'q'*", BAD },
  { "state-input", STATE ("[2, 3]", ", \"next\": \"x\"") ADD OUTPUT,
    "g.json: state?0?.next: 'x' is made by no op*", BAD },
  { "state-itself", STATE ("[2, 3]", ", \"next\": \"s\"") ADD OUTPUT,
    "g.json: state?0?.next: 's' is a state, or*", BAD },
  { "state-output", STATE ("[2, 3]", ", \"next\": \"y\"") ADD OUTPUT,
    "g.json: state?0?.next: 'y' is an output too*", BAD },
  { "state-shape", STATE ("[3]", ", \"next\": \"z\"") ADD OUTPUT,
    "g.json: state?0?.next: 'z'*has another shape*'s'*", BAD },
  { "state-key", STATE ("[3]", ", \"fill\": 1") ADD OUTPUT,
    "g.json: state?0?: unknown key \"fill\"*", BAD },
  { "no-shapes", OP ("\"type\": \"W\", \"inputs\": [\"x\"], \"outputs\": "
                     "[\"y\"], \"cost\": {\"cpu\": 1}"),
    "g.json: ops?0?: *\"shapes\"*", BAD },
  { "wrong-shapes", OP ("\"type\": \"Relu\", \"inputs\": [\"x\"], \"outputs\":"
                        " [\"y\"], \"shapes\": [[3, 2]]"),
    "g.json: ops?0?: *another shape*", BAD },
  { "output", HEAD INPUT RELU "\"outputs\": [\"q\"]}",
    "g.json: outputs?0?: *'q'*", BAD },
  { "output-twice", HEAD INPUT RELU "\"outputs\": [\"y\", \"y\"]}",
    "g.json: outputs?1?: *twice*", BAD },
  { "init-none", INIT ("\"shape\": [2]"),
    "g.json: initializers?0?: needs exactly one of*", BAD },
  { "init-two", INIT ("\"shape\": [1], \"fill\": 1, \"data\": [1]"),
    "g.json: initializers?0?: needs exactly one of*", BAD },
  { "init-no-shape", INIT ("\"fill\": 1"),
    "g.json: initializers?0?.shape: is missing*", BAD },
  { "init-count", INIT ("\"shape\": [3], \"data\": [1, 2]"),
    "g.json: initializers?0?.data: must be a list of 3*", BAD },
  { "init-huge", INIT ("\"shape\": [2500000000], \"data\": [1]"),
    "g.json: initializers?0?.data: must be a list of 2500000000*", BAD },
  { "init-overflow", INIT ("\"shape\": [4294967296, 4294967296], \"fill\": 1"),
    "g.json: initializers?0?.shape: *overflows*", BAD },
  { "init-type", INIT ("\"shape\": [1], \"dtype\": \"int64\", \"data\": [1.5]"),
    "g.json: initializers?0?.data?0?: *int64", BAD },
  { "init-range", INIT ("\"shape\": [1], \"dtype\": \"uint8\", \"data\": "
                        "[256]"), "g.json: *data?0?: *uint8", BAD },
  { "init-random", INIT ("\"shape\": [1], \"random\": {\"std\": 1}"),
    "g.json: initializers?0?.random.seed: is missing*", BAD },
  { "init-random-int", INIT ("\"shape\": [1], \"dtype\": \"int64\", "
                             "\"random\": {\"seed\": 1}"),
    "g.json: initializers?0?.random: *are reals, not int64", BAD },
  { "file-absent", INIT ("\"file\": \"none.npy\""),
    "g.json: initializers?0?.file: *none.npy*", BAD },
  { "file-out", INIT ("\"file\": \"../../etc/x.npy\""),
    "g.json: initializers?0?.file: *out of the model's folder", BAD },
  { "file-absolute", INIT ("\"file\": \"/etc/x.npy\""),
    "g.json: initializers?0?.file: *out of the model's folder", BAD },
  { "file-missing", INIT ("\"file\": \"w.safetensors\", \"key\": \"a\""),
    "g.json: initializers?0?.file: *No such file*", BAD },
  { "key", INIT ("\"shape\": [1], \"fill\": 1, \"key\": \"a\""),
    "g.json: initializers?0?.key: *", BAD },
};

/* What is stored stays, with what it is stored in, whatever passes drop. */
static void
test_state (void)
{
  static const char text[]
      = HEAD INPUT
      "\"state\": [{\"name\": \"s\", \"shape\": [2, 3], \"next\": \"t\"}, "
      "{\"name\": \"kept\", \"shape\": [2, 3]}], "
      "\"ops\": [{\"type\": \"Add\", \"inputs\": [\"x\", \"s\"], \"outputs\": "
      "[\"u\"]}, {\"type\": \"Identity\", \"inputs\": [\"u\"], \"outputs\": "
      "[\"t\"]}, {\"type\": \"Add\", \"inputs\": [\"x\", \"kept\"], \"outputs\": "
      "[\"y\"]}], " OUTPUT;
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = load (text, NULL, &error);
  g_autoptr (TpGraph) prepared = NULL;
  int n_states = 0;

  g_assert_no_error (error);
  g_assert_cmpint (graph->n_colocations, ==, 1);
  g_assert_cmpint (graph->colocations[0].n_nodes, ==, 2);
  prepared = tp_graph_prepare (graph, &error);
  g_assert_no_error (error);
  g_assert_cmpint (prepared->n_nodes, ==, 2); /* the Identity is gone */
  g_assert_cmpint (prepared->n_colocations, ==, 0);
  for (int i = 0; i < prepared->n_tensors; i++)
    {
      const TpTensor *it = &prepared->tensors[i];

      if (it->state == 0)
        continue;
      n_states++;
      g_assert_false (it->is_input || it->is_output);
      g_assert_cmpstr (prepared->tensors[it->state - 1].name, ==,
                       it->producer >= 0 ? "s" : it->name);
    }
  g_assert_cmpint (n_states, ==, 3);
}

static void
test_case (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = load (test->text, NULL, &error);

  g_assert_null (graph);
  g_assert_error (error, TPLAN_ERROR, test->code);
  if (!g_pattern_match_simple (test->pattern, error->message))
    g_error ("'%s' is not like '%s'", error->message, test->pattern);
}

static void
test_brackets (void)
{
  g_autofree char *text = g_strnfill (100000, '[');
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = load (text, NULL, &error);

  g_assert_null (graph);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
}

static void
test_long_name (void)
{
  g_autofree char *name = g_strnfill (TP_MAX_NAME_BYTES + 1, 'n');
  g_autofree char *text = g_strdup_printf (
      HEAD "\"inputs\": [{\"name\": \"%s\", \"shape\": [1]}], \"ops\": [], "
           "\"outputs\": [\"%s\"]}", name, name);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = load (text, NULL, &error);

  g_assert_null (graph);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT);
  g_assert_nonnull (strstr (error->message, "4097 bytes"));
}

/* Every proper prefix is refused, without a crash. */
static void
test_truncated (void)
{
  static const char text[] = INIT ("\"shape\": [2], \"data\": [1, 2.5]");

  for (gsize n = 0; n + 1 < sizeof text; n++)
    {
      g_autofree char *copy = g_memdup2 (text, MAX (n, 1));
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph
          = tp_graph_load_json ("g.json", copy, n, NULL, &error);

      if (n + 1 < sizeof text)
        {
          g_assert_null (graph);
          g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
        }
    }
}

/* Random changes of one byte: any answer will do, a crash will not. */
static void
test_mutated (void)
{
  static const char text[]
      = HEAD INPUT "\"initializers\": [{\"name\": \"w\", \"dtype\": \"int32\", "
                   "\"shape\": [2, 3], \"data\": [1, 2, 3, 4, 5, 6]}, "
                   "{\"name\": \"r\", \"shape\": [3], \"random\": {\"seed\": 5,"
                   " \"std\": 2}}], \"ops\": [{\"name\": \"a\", \"type\": "
                   "\"Add\", \"inputs\": [\"x\", \"r\"], \"outputs\": [\"z\"], "
                   "\"cost\": {\"cpu\": 1}}, {\"type\": \"Relu\", \"inputs\": "
                   "[\"z\"], \"outputs\": [\"y\"], \"device\": [\"cpu\"]}], "
                   OUTPUT;
  static const char spice[] = "\"[]{}:,0123456789-.eE\\ax";

  for (int i = 0; i < 20000; i++)
    {
      g_autofree char *copy = g_strdup (text);
      g_autoptr (TpGraph) graph = NULL;

      for (int j = g_test_rand_int_range (1, 4); j > 0; j--)
        copy[g_test_rand_int_range (0, sizeof text - 1)]
            = spice[g_test_rand_int_range (0, sizeof spice - 1)];
      graph = load (copy, NULL, NULL);
    }
}

static void
test_npy (void)
{
  g_autofree char *folder = g_dir_make_tmp (NULL, NULL);
  g_autofree char *file = g_build_filename (folder, "w.npy", NULL);
  g_autofree char *link = g_build_filename (folder, "l.npy", NULL);
  g_autofree char *path = g_build_filename (folder, "g.json", NULL);
  g_autoptr (GString) text = g_string_new (
      HEAD "\"initializers\": [{\"name\": \"w\", \"file\": \"w.npy\"}], "
           "\"ops\": [], \"outputs\": [\"w\"]}");
  g_autoptr (GString) bytes = g_string_new_len ("\x93NUMPY\1\0??", 10);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  gint32 found[2];

  g_string_append (bytes, "{'descr': '<i4', 'fortran_order': False, ");
  g_string_append (bytes, "'shape': (2,)}");
  bytes->str[8] = bytes->len - 10;
  bytes->str[9] = 0;
  g_string_append_len (bytes, "\1\0\0\0\2\1\0\0", 8);
  g_file_set_contents (file, bytes->str, bytes->len, NULL);
  g_file_set_contents (path, text->str, text->len, NULL);
  graph = tp_graph_load (path, NULL, &error);
  g_assert_no_error (error);
  tp_tensor_write_value (&graph->tensors[graph->outputs[0]], found);
  g_assert_cmpint (found[0], ==, 1);
  g_assert_cmpint (found[1], ==, 258);
  tp_graph_unref (graph);
  g_assert_cmpint (symlink ("w.npy", link), ==, 0);
  text->str[strstr (text->str, "w.npy") - text->str] = 'l';
  graph = tp_graph_load_json (path, text->str, text->len, NULL, &error);
  g_assert_null (graph);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "symbolic link"));
  g_unlink (file);
  g_unlink (link);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_paths (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (tp_graph_load ("/nowhere/g.json", NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_clear_error (&error);
  g_assert_null (tp_graph_load ("/", NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_clear_error (&error);
  g_assert_null (tp_graph_load ("/dev/null", NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "empty"));
}

/* Two initializers from one file, by key. */
static void
test_file_key (void)
{
  static const char header[]
      = "{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 8]}, "
        "\"b\": {\"dtype\": \"I64\", \"shape\": [], \"data_offsets\": [8, 16]}}";
  static const char text[]
      = "{\"format\": \"tplan-graph/1\", \"outputs\": [\"p\", \"q\"], "
        "\"initializers\": [{\"name\": \"p\", \"file\": \"w.safetensors\", "
        "\"key\": \"b\"}, {\"name\": \"q\", \"file\": \"w.safetensors\", "
        "\"key\": \"a\", \"shape\": [2]}], \"ops\": []}";
  static const guint8 values[] = { 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 9 };
  g_autofree char *folder = g_dir_make_tmp (NULL, NULL);
  g_autofree char *path = g_build_filename (folder, "g.json", NULL);
  g_autofree char *file = g_build_filename (folder, "w.safetensors", NULL);
  g_autoptr (GString) bytes = g_string_new_len ("\0\0\0\0\0\0\0", 8);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  gint64 b;
  float a[2];

  bytes->str[0] = (char) (sizeof header - 1);
  g_string_append (bytes, header);
  g_string_append_len (bytes, (const char *) values, sizeof values);
  g_string_append_len (bytes, "\0\0\0\0\0\0\0", 7);
  g_file_set_contents (file, bytes->str, bytes->len, NULL);
  graph = tp_graph_load_json (path, text, strlen (text), NULL, &error);
  g_assert_no_error (error);
  tp_tensor_write_value (&graph->tensors[graph->outputs[0]], &b);
  tp_tensor_write_value (&graph->tensors[graph->outputs[1]], a);
  g_assert_cmpint (b, ==, 9);
  g_assert_cmpfloat (a[0], ==, 1);
  g_assert_cmpfloat (a[1], ==, -2);
  g_unlink (file);
  g_rmdir (folder);
}

/* What a message quotes is fit to be printed. */
static void
test_foreign_names (void)
{
  static const char *const texts[] = {
    HEAD "\"outputs\": [\"y\"], \"ops\": [{\"type\": \"\\u001b[2J\\nforged\", "
         "\"inputs\": [], \"outputs\": [\"y\"]}]}",
    HEAD "\"outputs\": [\"\\u202eforged\"], \"ops\": []}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (load (texts[i], NULL, &error));
      g_assert_nonnull (strstr (error->message, "forged"));
      g_assert_true (tp_foreign_text_is_plain (error->message));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json/mlp", test_mlp);
  g_test_add_func ("/json/dims", test_dims);
  g_test_add_func ("/json/opaque", test_opaque);
  g_test_add_func ("/json/npy", test_npy);
  g_test_add_func ("/json/file-key", test_file_key);
  g_test_add_func ("/json/paths", test_paths);
  g_test_add_func ("/json/state", test_state);
  g_test_add_func ("/json/bad/foreign-names", test_foreign_names);
  g_test_add_func ("/json/bad/brackets", test_brackets);
  g_test_add_func ("/json/bad/long-name", test_long_name);
  g_test_add_func ("/json/bad/truncated", test_truncated);
  g_test_add_func ("/json/bad/mutated", test_mutated);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/json/bad/", cases[i].name, NULL);
      g_test_add_data_func (path, &cases[i], test_case);
    }
  return g_test_run ();
}
