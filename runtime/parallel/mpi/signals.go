//go:build !nonative && linux && (amd64 || arm64)

package mpi

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// signals stores the C library's sigaction of each signal. MPI libraries, or libraries that they use, install handlers
// for some signals, such as that of a nil pointer: UCX then ends the process, where Go would have panicked.
type signals struct {
	action uintptr // sigaction of the C library
	kept   [32][256]byte
}

// keepSignals stores the current handling of signals. If there is no C library, it stores nothing.
func keepSignals() *signals {
	s := &signals{}
	var err error
	if s.action, err = purego.Dlsym(purego.RTLD_DEFAULT, "sigaction"); err != nil {
		return s
	}
	for number := 1; number < len(s.kept); number++ {
		call(s.action, uintptr(number), 0, uintptr(unsafe.Pointer(&s.kept[number])))
	}
	return s
}

// restore restores the handling of all signals. That of KILL and STOP cannot be changed.
func (s *signals) restore() {
	if s.action == 0 {
		return
	}
	for number := 1; number < len(s.kept); number++ {
		call(s.action, uintptr(number), uintptr(unsafe.Pointer(&s.kept[number])), 0)
	}
}
