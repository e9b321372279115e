#include "sluice_json.h"
extern "C" void sluice_json_placeholder(void) {}
