// Package gpu runs IR programs on a GPU: package render writes them in CUDA, and a driver compiles and launches them.
//
//	for i < 3 { y[i] = 2·x[i] }    →    b1[i0] = 2 * b0[i0] by each of 28,672 threads
//
// A program has entries, which are its functions, and lanes, each of which holds one walker. A point is one iteration
// of the loops of a statement. An entry runs in one of two ways. By lanes, each thread runs the entry for one lane, any
// number of times in one launch: for small models and thousands of lanes. By points, threads share the points of a
// statement, and each statement is a launch: for large data and few lanes. In both ways, the work over many points is
// in Tiles of many iterations (lower.Spread), and sums are taken in the order of these iterations, independently of
// threads. So results depend neither on the number of lanes, nor on the shape of a launch, nor, except for products by
// cuBLAS (below), on the way. For each entry, an estimate decides which way is faster (plan.go). If memory is too small
// for the buffers that are needed between launches, all entries run by lanes.
//
//	entry of a regression, by lanes            by points
//	launch                                     e0_0  parameters, for each lane
//	  parameters                               e0_1  all iterations, for each lane: sums over their rows
//	  for each iteration: sums over its rows,  e0_2  sums over groups of 64 iterations
//	    which are added to those before        e0_3  sums over groups
//	  what is computed with the sums           e0_4  what is computed with the sums
//
// An entry by points that runs many times is launched in graphs of 1, 2, 4, … executions (graph.go).
//
// Even in an entry by points, the following run in one thread per lane: recurrences (ir.Loop), factorisations,
// cumulative sums, and statements over few points. Threads share the elements of large products.
//
// Lanes form blocks of 32, or of 4, 8 or 16 if there are fewer lanes and an entry runs by points. Neighbouring threads
// process neighbouring lanes, so that warps are full. In programs of layout Apart, such as networks (package lower
// decides which), the numbers of a lane are contiguous, and so are its matrices; neighbouring threads then process
// neighbouring points of a kernel over many points. In these programs a recurrence with large statements is launched
// one iteration at a time. A program has a single layout, since its entries share buffers.
//
// The host has a copy of all lane buffers. Buffers that were set since the last run are uploaded before the next run. A
// buffer that a run has written is downloaded in full when it is first read, together with the buffers that were read
// after the previous run. Package host runs Setup.
//
// In programs of layout Apart, large products are calls of cuBLAS if it is available. Their results differ by rounding
// from those by lanes, but still do not depend on the number of lanes (products.go).
//
// Errors of the driver are one sentence each (package driver). The required memory is computed before it is requested.
package gpu

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/compiler/backend/render"
	"ppl/runtime/device"
	"ppl/runtime/gpu/driver"
	"ppl/runtime/sys/cache"
)

// A Device is a GPU.
type Device struct {
	driver   driver.Driver
	cache    *cache.Cache
	grain    lower.Grain
	width    func(lanes int) int
	poisoned bool
	noGraphs bool
	faster   choice
}

// A choice reports whether an entry of a plan runs by points, for a number of lanes and of multiprocessors.
type choice func(l *plan, entry, lanes, multiprocessors int) bool

func byLanes(*plan, int, int, int) bool { return false }

// New returns the device of a driver.
func New(d driver.Driver, options ...Option) *Device {
	dev := &Device{driver: d, cache: cache.Open(cache.CUDA, ".cubin"), grain: grain(), width: width,
		faster: fasterByPoints}
	for _, o := range options {
		o(dev)
	}
	return dev
}

// Name returns "cuda".
func (*Device) Name() string { return "cuda" }

// Load compiles the program, unless the cache has its machine code, and copies the results of Setup to the GPU. It
// verifies the program first, since a verified program never reads or writes outside its buffers.
func (d *Device) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	if err := ir.Verify(p); err != nil {
		return nil, err
	}
	if o.Lanes < 1 {
		return nil, fmt.Errorf("cuda: %d lanes", o.Lanes)
	}
	x, err := d.load(d.plan(p, o.Lanes, d.faster), o)
	short := (*shortage)(nil)
	if errors.As(err, &short) { // by points, the buffers needed between launches take memory for each lane
		return d.load(d.plan(p, o.Lanes, byLanes), o)
	}
	return x, err
}

// load loads a program as planned.
func (d *Device) load(l *plan, o device.Options) (device.Executable, error) {
	library := d.library(l)
	image, err := d.image(render.CUDA(l.program, l.launching))
	if err != nil {
		return nil, err
	}
	module, err := d.driver.Load(image)
	if err != nil {
		return nil, err
	}
	e := newExecutable(l, o, d, module)
	e.library = library
	if err = e.find(); err == nil {
		err = e.allocate(o.Lanes)
	}
	if err == nil {
		e.multiply()
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// image returns the machine code of a text, from the cache if possible.
func (d *Device) image(text string) ([]byte, error) {
	about := d.driver.Info()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%s", about.Compiler, about.Capability, text))
	key := hex.EncodeToString(sum[:16])
	if path := d.cache.Find(key); path != "" {
		if image, err := os.ReadFile(path); err == nil {
			return image, nil
		}
	}
	image, err := d.driver.Compile(text)
	if err == nil { // without a cache, the text is compiled again the next time
		_, _ = d.cache.Store(key, func(path string) error { return os.WriteFile(path, image, 0o600) })
	}
	return image, err
}

// Info returns a description of the GPU.
func (d *Device) Info() driver.Info { return d.driver.Info() }

// Close releases the GPU. Executables must be closed before.
func (d *Device) Close() error { return d.driver.Close() }
