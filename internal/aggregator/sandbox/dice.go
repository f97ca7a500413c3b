package sandbox

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"math/rand/v2"
	"strconv"
	"strings"
)

// seed is 128 bits derived from a name.
type seed [16]byte

// seedOf returns the seed of a list of texts. Different lists give different seeds.
func seedOf(texts ...string) seed {
	name := make([]byte, 0, 128)
	for _, t := range texts {
		name = append(strconv.AppendInt(name, int64(len(t)), 10), ':')
		name = append(name, t...)
	}
	sum := sha256.Sum256(name)
	return seed(sum[:16])
}

// digits returns n decimal digits that follow from the seed.
func (s seed) digits(n int) string {
	d := s.dice(0)
	var b strings.Builder
	for range n {
		b.WriteByte(byte('0' + d.n(10)))
	}
	return b.String()
}

// letters returns n letters and digits that follow from the seed, at most 25.
func (s seed) letters(n int) string {
	return base32.StdEncoding.EncodeToString(s[:])[:n]
}

// dice returns the dice of a day or an index.
func (s seed) dice(i int64) dice {
	var d dice
	d.pcg.Seed(binary.LittleEndian.Uint64(s[:8]), binary.LittleEndian.Uint64(s[8:])^uint64(i)*0x9e3779b97f4a7c15)
	d.pcg.Uint64() // neighbouring seeds start alike
	return d
}

// dice generates numbers. All arithmetic is done here with integers on the specified PCG-DXSM, because a ledger must be the same with every version of Go.
type dice struct{ pcg rand.PCG }

// n returns 0 to n-1.
func (d *dice) n(n int) int {
	if n <= 1 {
		return 0
	}
	return int(d.pcg.Uint64() % uint64(n))
}

// between returns low to high, both included.
func (d *dice) between(low, high int64) int64 {
	if high <= low {
		return low
	}
	return low + int64(d.pcg.Uint64()%uint64(high-low+1))
}

// chance returns true in permille of 1000 cases.
func (d *dice) chance(permille int) bool { return d.n(1000) < permille }

func pick[T any](d *dice, list []T) T { return list[d.n(len(list))] }
