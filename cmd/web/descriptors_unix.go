//go:build unix

package main

import "syscall"

// descriptors returns how many files and connections the system allows this process at once, 0 when it is unknown.
func descriptors() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, 1<<30)) // its type differs between systems
}
