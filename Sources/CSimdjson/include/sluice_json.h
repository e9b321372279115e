void sluice_json_placeholder(void);
