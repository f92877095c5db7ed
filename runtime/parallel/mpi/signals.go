//go:build !nonative && linux && (amd64 || arm64)

package mpi

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// signals are what C's sigaction says of each signal. MPI libraries, or what they are built on, take some for
// themselves, such as the one of a nil pointer: UCX then ends the process, where Go would have panicked.
type signals struct {
	action uintptr // sigaction, of C's library
	kept   [32][256]byte
}

// keepSignals notes what is done about signals. Where there is no C library to ask, nothing is kept.
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

// restore puts all back. KILL and STOP cannot be set, and are as they were.
func (s *signals) restore() {
	if s.action == 0 {
		return
	}
	for number := 1; number < len(s.kept); number++ {
		call(s.action, uintptr(number), uintptr(unsafe.Pointer(&s.kept[number])), 0)
	}
}
