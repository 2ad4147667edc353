#include "config.h"

#include "view/view.h"
