package sandbox

import (
	"encoding/base64"
	"encoding/binary"
	"math"
)

// cursor is a position in a listing: the number of rows already returned from the ledger of a moment.
type cursor struct {
	asOf   moment
	offset int
}

const cursorVersion = 3

// String returns the cursor in its opaque form.
func (c cursor) String() string {
	b := []byte{cursorVersion}
	b = binary.AppendUvarint(b, uint64(c.asOf))
	b = binary.AppendUvarint(b, uint64(c.offset))
	return base64.RawURLEncoding.EncodeToString(b)
}

// parseCursor reads what String wrote; ok is false for anything else.
func parseCursor(text string) (c cursor, ok bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) == 0 || b[0] != cursorVersion {
		return cursor{}, false
	}
	asOf, n := binary.Uvarint(b[1:])
	if n <= 0 || asOf > math.MaxInt64 {
		return cursor{}, false
	}
	offset, m := binary.Uvarint(b[1+n:])
	if m <= 0 || offset > math.MaxInt32 {
		return cursor{}, false
	}
	c = cursor{moment(asOf), int(offset)}
	return c, c.String() == text
}
