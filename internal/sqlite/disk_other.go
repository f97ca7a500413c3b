//go:build !linux

package sqlite

// checkDisk accepts every folder: the kind of its file system is known on Linux only.
func checkDisk(string) error { return nil }

// freeSpace is known on Linux only.
func freeSpace(string) (bytes uint64, known bool) { return 0, false }
