#pragma once
#ifdef __cplusplus
extern "C" {
#endif
void sluice_json_placeholder(void);
#ifdef __cplusplus
}
#endif
