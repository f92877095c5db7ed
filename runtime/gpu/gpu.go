// Package gpu runs IR programs on a GPU: package render writes them in CUDA, a driver compiles and launches them.
//
//	for i < 3 { y[i] = 2·x[i] }    →    b1[i0] = 2 * b0[i0] by each of 28,672 threads
//
// An entry runs in one of two ways. By lanes, a thread is a lane, and runs an entry any number of times in one launch:
// for small models and thousands of lanes. By points, threads share the points of a statement, and each statement is a
// launch: for much data and few lanes. In both, the work over many points is in Tiles of many turns (lower.Spread), and
// sums are taken in the order that these give, never in that of threads. So results depend neither on the way, nor on
// the number of lanes, nor on the shape of a launch; which way is faster is estimated for each entry (plan.go). Where
// memory is too short for what lies between launches, all entries run by lanes.
//
//	entry of a regression, by lanes            by points
//	launch                                     e0_0  parameters, for each lane
//	  parameters                               e0_1  all turns, for each lane: sums over their rows
//	  for each turn: sums over its rows,       e0_2  sums over groups of 64 turns
//	    which are added to those before        e0_3  sums over groups
//	  what is computed with the sums           e0_4  what is computed with the sums
//
// An entry by points that runs many times is launched in graphs of 1, 2, 4, … executions (graph.go).
//
// Of what follows, a thread of a lane does all, also in an entry by points: recurrences (ir.Loop), factorisations,
// cumulative sums, and statements over few points. Threads share the elements of large products.
//
// Lanes are in blocks of 32, or where they are fewer and an entry runs by points, of 4, 8 or 16, such that warps are
// full: threads next to each other are lanes next to each other. In programs whose lanes are apart (package lower says
// of which it is, such as networks), the numbers of a lane lie together, so that its matrices do, and threads next to
// each other take points next to each other: of a kernel over many points each takes one. There a recurrence whose
// turns have large statements is launched turn by turn. The layout is one for a program, as buffers live across its
// entries.
//
// The host keeps a copy of all lane buffers. What was set since the last run is uploaded before the next; what a
// run has written is downloaded, as a whole, when it is first read, with what was read after the run before. Setup is
// run by package host.
//
// Large products of programs whose lanes are apart are calls of cuBLAS, where it is there: by lanes their bytes are
// others, the number of lanes still changes none (products.go).
//
// Errors of the driver are one sentence each (package driver). Memory is added up before it is asked for.
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

// A choice says whether an entry of a plan, on some lanes, runs by points on a GPU of some multiprocessors.
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

// Name is "cuda".
func (*Device) Name() string { return "cuda" }

// Load compiles the program, unless the cache has it, and copies what Setup computes to the GPU. The program is
// verified first: a verified one never reads or writes outside its buffers.
func (d *Device) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	if err := ir.Verify(p); err != nil {
		return nil, err
	}
	if o.Lanes < 1 {
		return nil, fmt.Errorf("cuda: %d lanes", o.Lanes)
	}
	x, err := d.load(d.plan(p, o.Lanes, d.faster), o)
	short := (*shortage)(nil)
	if errors.As(err, &short) { // by points, what lies between launches takes memory for each lane
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

// image returns the machine code of a text, from the cache if it has it.
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
	if err == nil { // without a cache it is compiled again the next time
		_, _ = d.cache.Store(key, func(path string) error { return os.WriteFile(path, image, 0o600) })
	}
	return image, err
}

// Info reports what the GPU is.
func (d *Device) Info() driver.Info { return d.driver.Info() }

// Close releases the GPU. Executables must be closed before.
func (d *Device) Close() error { return d.driver.Close() }
