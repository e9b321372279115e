#pragma once
#include <libpq-fe.h>

// PG_DIAG_… are character literals behind macros, which Swift does not see.
static inline int sluice_pq_diag_sqlstate(void) { return PG_DIAG_SQLSTATE; }
static inline int sluice_pq_diag_message(void) { return PG_DIAG_MESSAGE_PRIMARY; }
static inline int sluice_pq_diag_constraint(void) { return PG_DIAG_CONSTRAINT_NAME; }
