package sqlite

import (
	"strings"
	"testing"
)

// security T33: network file systems are refused.
func TestNetworkFileSystemsAreRefused(t *testing.T) {
	for magic, name := range networkDisks {
		if err := checkDiskKind("/data", magic); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "/data") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for name, magic := range map[string]uint32{"ext4": 0xef53, "btrfs": 0x9123683e, "xfs": 0x58465342, "tmpfs": 0x01021994, "overlay": 0x794c7630} {
		if err := checkDiskKind("/data", magic); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := checkDisk(t.TempDir()); err != nil {
		t.Errorf("a local directory: %v", err)
	}
}
