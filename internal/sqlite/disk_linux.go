package sqlite

import (
	"fmt"
	"syscall"
)

// networkDisks are the file systems on which the locks of SQLite's write-ahead log do not work, by the magic numbers of statfs(2).
var networkDisks = map[uint32]string{
	0x00006969: "NFS",
	0x0000517b: "SMB",
	0xff534d42: "CIFS",
	0xfe534d42: "SMB2",
	0x5346414f: "AFS",
	0x00c36400: "Ceph",
	0x0bd00bd0: "Lustre",
}

// checkDisk refuses a folder on a network file system: two machines could write the database at once and destroy it.
func checkDisk(dir string) error {
	var info syscall.Statfs_t
	if err := syscall.Statfs(dir, &info); err != nil {
		return fmt.Errorf("look at the file system of %s: %w", dir, err)
	}
	return checkDiskKind(dir, uint32(info.Type)) // the magic number has 32 bits, the field more
}

func checkDiskKind(dir string, magic uint32) error {
	if name, ok := networkDisks[magic]; ok {
		return fmt.Errorf("%s lies on a network file system (%s), where a SQLite database gets damaged; choose a directory on a local disk", dir, name)
	}
	return nil
}

// freeSpace returns the number of bytes that this user may still write to the disk of a folder.
func freeSpace(folder string) (bytes uint64, known bool) {
	var info syscall.Statfs_t
	if err := syscall.Statfs(folder, &info); err != nil {
		return 0, false
	}
	return info.Bavail * uint64(info.Bsize), true
}
