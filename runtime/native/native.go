//go:build !nonative && (linux || darwin) && (amd64 || arm64)

// Package native runs IR programs as machine code: package render writes them in C, the system's compiler makes a
// library of that, and the library is loaded without cgo.
//
// Work goes block by block of lanes, as on the host; Go crosses into C once per block and Run. Results depend neither
// on the number of threads nor on the number of lanes: no arithmetic crosses lanes, the text fixes the order of every
// sum, and all blocks have the same number of lanes. Where fewer are wanted, the others are copies of the last one,
// noise and all.
//
// Libraries are kept in the user's cache directory; see cache.go.
package native

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"ppl/compiler/ir"
	"ppl/compiler/render"
	"ppl/runtime/device"
)

// nativeDevice compiles with one compiler into one cache.
type nativeDevice struct {
	compiler *compiler
	cache    *cache
	gemm     func() gemms // looked for when a program wants them
	slow     atomic.Bool  // one wanted it in vain
}

// New finds the C compiler ($CC, else cc) and has it make a library, to be sure that it works. The error says what is
// missing.
func New() (device.Device, error) {
	c, err := newCompiler()
	if err != nil {
		return nil, err
	}
	d := &nativeDevice{compiler: c, cache: newCache(), gemm: sync.OnceValue(openGemm)}
	if err := d.probe(); err != nil {
		return nil, err
	}
	return d, nil
}

// Name is "native".
func (*nativeDevice) Name() string { return "native" }

// probe loads the library of an empty program and calls it.
func (d *nativeDevice) probe() error {
	x, err := d.Load(&ir.Program{}, device.Options{Lanes: 1, Threads: 1})
	if err != nil {
		return err
	}
	defer x.Close()
	_, err = x.Run(nil, 0, nil)
	return err
}

// Load compiles the program, unless it has been before, and runs its Setup. The program is checked first: a verified
// one does not reach outside its buffers.
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
	l, err := d.library(render.C(p))
	if err != nil {
		return nil, err
	}
	e, err := newExecutable(p, o, l, d.gemmFor(p))
	if err != nil {
		l.close()
		return nil, err
	}
	return e, nil
}

// gemmFor is what multiplies a program's large matrices.
func (d *nativeDevice) gemmFor(p *ir.Program) gemms {
	if !render.WantsGemm(p) {
		return gemms{}
	}
	gemm := d.gemm()
	if gemm == (gemms{}) {
		d.slow.Store(true)
	}
	return gemm
}

// Advice says what would make the programs loaded so far faster; "" if nothing is known.
func (d *nativeDevice) Advice() string {
	if d.slow.Load() {
		return "large matrix products are some three times slower without OpenBLAS; install it (Debian: " +
			"libopenblas0-pthread, Homebrew: openblas)"
	}
	return ""
}

// library is the compiled text, from the cache if it is there and whole.
func (d *nativeDevice) library(text string) (*library, error) {
	key := d.compiler.key(text)
	if path := d.cache.find(key); path != "" {
		if l, err := openLibrary(path); err == nil {
			return l, nil
		}
		d.cache.drop(path) // whole, but not loadable here
	}
	return d.cache.make(key, func(path string) error { return d.compiler.compile(text, path) })
}
