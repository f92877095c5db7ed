//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"
)

// A library is a loaded program: two functions of a pointer to context.
type library struct {
	handle     uintptr
	setup, run uintptr
}

func openLibrary(path string) (*library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("native: cannot load what the C compiler made: %w", err)
	}
	l := &library{handle: handle}
	for name, f := range map[string]*uintptr{"setup": &l.setup, "run": &l.run} {
		if *f, err = purego.Dlsym(handle, name); err != nil {
			l.close()
			return nil, fmt.Errorf("native: the C compiler made a library without %s: %w", name, err)
		}
	}
	return l, nil
}

func (l *library) close() error { return purego.Dlclose(l.handle) }

// call runs a function on memory outside the Go heap.
func call(f uintptr, c *context) { purego.SyscallN(f, uintptr(unsafe.Pointer(c))) }

// libraryVersion is what the C library of this process calls itself; "" if it does not say.
func libraryVersion() string {
	f, err := purego.Dlsym(purego.RTLD_DEFAULT, "gnu_get_libc_version")
	if err != nil {
		return ""
	}
	r, _, _ := purego.SyscallN(f)
	return cString(*(**byte)(unsafe.Pointer(&r)))
}

func cString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
