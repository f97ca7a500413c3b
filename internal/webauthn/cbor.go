package webauthn

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

const maxDepth = 4 // levels of arrays and maps (CTAP 2.1, 8)

// Kinds of items (RFC 8949, 3.1).
const (
	cborUint, cborNegative, cborBytes, cborText, cborArray, cborMap, _, cborSimple = 0, 1, 2, 3, 4, 5, 6, 7
)

// decode decodes the first item of CBOR in the form that devices write (CTAP 2.1, 8: definite lengths, no tags), and returns the data after it. The item is
// an int64, []byte, string, []any, map[any]any with keys of int64 and string, bool, or nil. The error is ErrMalformed.
func decode(data []byte, depth int) (item any, rest []byte, err error) {
	if len(data) == 0 {
		return nil, nil, ErrMalformed
	}
	kind, short := data[0]>>5, data[0]&0x1f
	number, rest, ok := argument(short, data[1:])
	if !ok {
		return nil, nil, ErrMalformed
	}
	switch kind {
	case cborUint, cborNegative:
		if number > math.MaxInt64 {
			return nil, nil, ErrMalformed
		}
		if kind == cborNegative {
			return -1 - int64(number), rest, nil
		}
		return int64(number), rest, nil
	case cborBytes, cborText:
		if number > uint64(len(rest)) {
			return nil, nil, ErrMalformed
		}
		part, rest := rest[:number], rest[number:]
		if kind == cborBytes {
			return part, rest, nil
		}
		if !utf8.Valid(part) {
			return nil, nil, ErrMalformed
		}
		return string(part), rest, nil
	case cborArray:
		if depth == maxDepth || number > uint64(len(rest)) {
			return nil, nil, ErrMalformed
		}
		var items []any
		for range number {
			if item, rest, err = decode(rest, depth+1); err != nil {
				return nil, nil, err
			}
			items = append(items, item)
		}
		return items, rest, nil
	case cborMap:
		if depth == maxDepth || number > uint64(len(rest))/2 {
			return nil, nil, ErrMalformed
		}
		return decodeMap(number, rest, depth+1)
	case cborSimple:
		if simple, known := map[byte]any{20: false, 21: true, 22: nil}[short]; known {
			return simple, rest, nil
		}
	}
	return nil, nil, ErrMalformed
}

func decodeMap(number uint64, rest []byte, depth int) (item map[any]any, _ []byte, err error) {
	parts := make(map[any]any)
	for range number {
		var name, value any
		if name, rest, err = decode(rest, depth); err != nil {
			return nil, nil, err
		}
		switch name.(type) {
		case int64, string:
		default:
			return nil, nil, ErrMalformed
		}
		if _, twice := parts[name]; twice {
			return nil, nil, ErrMalformed
		}
		if value, rest, err = decode(rest, depth); err != nil {
			return nil, nil, err
		}
		parts[name] = value
	}
	return parts, rest, nil
}

// argument returns the number that belongs to the first byte of an item.
func argument(short byte, data []byte) (number uint64, rest []byte, ok bool) {
	size := 0
	switch {
	case short < 24:
		return uint64(short), data, true
	case short <= 27:
		size = 1 << (short - 24)
	}
	if size == 0 || len(data) < size {
		return 0, nil, false
	}
	padded := make([]byte, 8)
	copy(padded[8-size:], data[:size])
	return binary.BigEndian.Uint64(padded), data[size:], true
}
