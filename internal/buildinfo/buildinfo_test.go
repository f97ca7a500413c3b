package buildinfo

import "testing"

func TestVersion(t *testing.T) {
	for _, test := range []struct{ module, want string }{
		{"", "devel"},
		{"(devel)", "devel"},
		{"v1.2.3", "v1.2.3"},
		{"v0.0.0-20261120094954-abcdef012345+dirty", "v0.0.0-20261120094954-abcdef012345+dirty"},
	} {
		if got := fromModule(test.module); got != test.want {
			t.Errorf("fromModule(%q) = %q, want %q", test.module, got, test.want)
		}
	}
}

func TestVersionSetAtTheBuildWins(t *testing.T) {
	defer func(old string) { version = old }(version)
	version = "9.8.7"
	if got := Version(); got != "9.8.7" {
		t.Errorf("Version() = %q, want the one set at the build", got)
	}
	if got, want := UserAgent(), "Florin/9.8.7"; got != want {
		t.Errorf("UserAgent() = %q, want %q", got, want)
	}
}

func TestVersionIsNeverEmpty(t *testing.T) {
	if Version() == "" {
		t.Error("Version() is empty")
	}
}
