cat > step.json <<JSON
{ "format": "tplan-graph/1", "name": "step", "inputs": [{"name": "x", "shape": [64, 256]}], "outputs": ["loss"],
  "state": [{"name": "w", "shape": [256, 256], "next": "w.new"}, {"name": "m", "shape": [256, 256], "next": "m.new"}],
  "ops": [
    {"name": "forward", "type": "Forward", "inputs": ["x", "w"], "outputs": ["h"], "shapes": [[64, 256]],
     "cost": {"$cpu": [50000, 900], "$gpu": 9000}},
    {"name": "loss", "type": "Loss", "inputs": ["h"], "outputs": ["loss"], "shapes": [[1]], "cost": {"$cpu": 100, "$gpu": 90000}},
    {"name": "backward", "type": "Backward", "inputs": ["loss", "h", "x"], "outputs": ["g"], "shapes": [[256, 256]],
     "cost": {"$cpu": 40000, "$gpu": [9000, 100]}, "colocation": "grad"},
    {"name": "momentum", "type": "Momentum", "inputs": ["m", "g"], "outputs": ["m.new"], "shapes": [[256, 256]],
     "cost": {"$cpu": 5, "$gpu": 900}, "colocation": "grad"},
    {"name": "update", "type": "Update", "inputs": ["w", "m.new"], "outputs": ["w.new"], "shapes": [[256, 256]],
     "cost": {"$cpu": 5, "$gpu": 900}} ],
  "copies": {"x": {"$gpu": {"to": [2000, 50], "from": 1}}, "h": {"$gpu": 700}, "loss": {"$gpu": [30, 3]}} }
JSON
