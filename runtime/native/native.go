//go:build !nonative && (linux || darwin) && (amd64 || arm64)

// Package native runs IR programs as machine code: package render writes them in C, the system's C compiler creates a
// shared library, and the library is loaded without cgo.
//
//	for i < 3 { y[i] = 2·x[i] }    →    void k0(context *c) { … y[i*LANES + l] = 2 * x[i*LANES + l]; … }
//	                               →    KEY-SUM.so
//
// Blocks of lanes run one by one, as on the host; Go calls C once per block and Run. Results depend neither on the
// number of threads nor on the number of lanes: no arithmetic combines lanes, the text determines the order of every
// sum, and all blocks have the same number of lanes. If the last block has fewer lanes, copies of the last lane,
// including its noise, fill the block.
//
// Libraries are stored in the user's cache directory; see package cache.
package native

import (
	gocontext "context"
	"fmt"
	"runtime"

	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/render"
	"ppl/runtime/device"
	"ppl/runtime/sys/cache"
)

// nativeDevice compiles with one compiler, into one cache.
type nativeDevice struct {
	compiler *compiler
	cache    *cache.Cache
}

// Linked reports whether this build has the device.
const Linked = true

// New finds the C compiler ($CC, otherwise cc) and compiles a library to test it. The error describes what is missing.
func New() (device.Device, error) { return NewContext(gocontext.Background()) }

// NewContext is like New; cancelling the context stops the compiler.
func NewContext(ctx gocontext.Context) (device.Device, error) {
	c, err := newCompiler(ctx)
	if err != nil {
		return nil, err
	}
	d := &nativeDevice{compiler: c, cache: cache.Open(cache.Native, ".so")}
	if err := d.probe(); err != nil {
		return nil, err
	}
	return d, nil
}

// Name returns "native".
func (*nativeDevice) Name() string { return "native" }

// probe compiles, loads and calls an empty program.
func (d *nativeDevice) probe() error {
	x, err := d.Load(&ir.Program{}, device.Options{Lanes: 1, Threads: 1})
	if err != nil {
		return err
	}
	defer x.Close()
	_, err = x.Run(nil, 0, nil)
	return err
}

// Load compiles the program, unless the cache has its library, and runs its Setup. It verifies the program first, since
// a verified program never reads or writes outside its buffers.
func (d *nativeDevice) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	if err := ir.Verify(p); err != nil {
		return nil, err
	}
	if o.Lanes < 1 {
		return nil, fmt.Errorf("native: %d lanes", o.Lanes)
	}
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	text := render.C(p)
	l, err := d.library(text)
	if err != nil {
		return nil, err
	}
	e, err := newExecutable(p, o, l)
	if err != nil {
		l.close()
		return nil, err
	}
	e.key = d.compiler.key(text)
	return e, nil
}

// Fingerprint returns a hash of the program and of everything else that its machine code depends on.
func (e *executable) Fingerprint() string { return e.key }

// library returns the compiled text, from the cache if it has a complete library.
func (d *nativeDevice) library(text string) (*library, error) {
	key := d.compiler.key(text)
	if path := d.cache.Find(key); path != "" {
		if l, err := openLibrary(path); err == nil {
			return l, nil
		}
		d.cache.Drop(path) // complete, but this process cannot load it
	}
	return makeLibrary(d.cache, key, func(path string) error { return d.compiler.compile(text, path) })
}
