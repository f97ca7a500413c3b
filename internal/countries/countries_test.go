package countries

import "testing"

func TestName(t *testing.T) {
	for code, want := range map[string]string{"SE": "Sweden", "XX": "XX"} {
		if got := Name(code); got != want {
			t.Errorf("Name(%s) = %q, want %q", code, got, want)
		}
	}
}
