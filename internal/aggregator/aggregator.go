// Package aggregator is the domain of the aggregation service: applications, authorisations and sessions with
// their state machine, and the Connector through which the service talks to a bank. It is pure: no I/O.
package aggregator

import "errors"

// ErrNotFound is returned by lookups in the service's own storage when there is no such row. The engine turns it
// into the error code of the resource.
var ErrNotFound = errors.New("not found")

// ErrConflict is returned by a change that the present state of a row does not allow, because another request has changed it first.
var ErrConflict = errors.New("the state has changed meanwhile")

// PSU holds the headers that say that the PSU is online (spec: PSU headers), by canonical header name
// such as Psu-Ip-Address. An empty map means an unattended call.
type PSU map[string]string

// Attended reports whether the PSU is online.
func (p PSU) Attended() bool { return len(p) > 0 }
