package registry

import "testing"

func TestBankState(t *testing.T) {
	for counts, want := range map[[2]int]BankState{{0, 0}: BankUnknown, {3, 0}: BankUp, {3, 1}: BankDegraded, {3, 3}: BankDown} {
		if got := bankState(counts[0], counts[1]); got != want {
			t.Errorf("%d of %d failed: %s, want %s", counts[1], counts[0], got, want)
		}
	}
}
