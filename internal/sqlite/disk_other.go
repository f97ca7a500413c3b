//go:build !linux

package sqlite

// checkDisk accepts every folder: the kind of its file system can only be determined on Linux.
func checkDisk(string) error { return nil }

// freeSpace returns false: free space can only be determined on Linux.
func freeSpace(string) (bytes uint64, known bool) { return 0, false }
