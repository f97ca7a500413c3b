package sqlite

import "database/sql"

// Pool is the pool itself.
func (r Reads) Pool() *sql.DB { return r.pool }
