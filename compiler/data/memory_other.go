//go:build !linux && !darwin

package data

// machineMemory is not asked for here.
func machineMemory() int64 { return unknownMemory }
