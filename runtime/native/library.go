//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// A library is a loaded program: C functions of a pointer to a context, for blocks of `width` lanes. They need `work`
// bytes of working memory for products.
type library struct {
	handle              uintptr
	setup, blocks, part uintptr
	width, work         int
}

func openLibrary(path string) (*library, error) {
	if err := checkComplete(path); err != nil {
		return nil, err
	}
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("native: cannot load the library that the C compiler made: %w", err)
	}
	l := &library{handle: handle}
	var lanes, work uintptr
	for name, f := range map[string]*uintptr{"setup": &l.setup, "blocks": &l.blocks, "part": &l.part, "lanes": &lanes,
		"work": &work} {
		if *f, err = purego.Dlsym(handle, name); err != nil {
			l.close()
			return nil, fmt.Errorf("native: the C compiler made a library without %s: %w", name, err)
		}
	}
	width, _, _ := purego.SyscallN(lanes)
	bytes, _, _ := purego.SyscallN(work)
	l.width, l.work = int(width), int(bytes)
	return l, nil
}

// checkComplete reports an error if a file is not a complete ELF library: loading an incomplete one would crash the
// process. On systems without ELF, the loader checks the signature itself.
func checkComplete(path string) error {
	if runtime.GOOS == "darwin" {
		return nil
	}
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("native: the C compiler made something that is not a library: %w", err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if n, err := io.Copy(io.Discard, p.Open()); err != nil || uint64(n) != p.Filesz {
			return errors.New("native: the C compiler produced an incomplete library; is the disk full?")
		}
	}
	return nil
}

func (l *library) close() error { return purego.Dlclose(l.handle) }

// call runs a C function; c must be memory outside the Go heap.
func call(f uintptr, c *context) { purego.SyscallN(f, uintptr(unsafe.Pointer(c))) }

// libraryVersion returns the version of the C library of this process; "" if it has no such function.
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
