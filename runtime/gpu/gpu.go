// Package gpu runs IR programs on a GPU: package render writes them in CUDA, a driver compiles and launches them.
//
//	for i < 3 { y[i] = 2·x[i] }    →    b1[i0] = 2 * b0[i0] by each of 28,672 threads
//
// A thread is a lane, and runs the whole schedule of a call in one launch; 32 lanes are a block, whose threads run
// together. No arithmetic combines lanes and nothing is shared but what no thread writes, so results depend neither on
// the number of lanes nor on the shape of the launch.
//
// The host keeps a copy of all lane buffers. What was set since the last run is uploaded before the next; what a run
// has written is downloaded, as a whole, when it is first read. Setup is run by package host.
//
// Errors of the driver are one sentence each (package driver). Memory is added up before it is asked for.
package gpu

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"ppl/compiler/ir"
	"ppl/compiler/render"
	"ppl/runtime/cache"
	"ppl/runtime/device"
	"ppl/runtime/gpu/driver"
)

// A Device is a GPU.
type Device struct {
	driver driver.Driver
	cache  *cache.Cache
}

// cacheSize is the size of the user's cache of machine code: some thousand programs.
const cacheSize = 256 << 20

// New is the device of a driver.
func New(d driver.Driver) *Device { return &Device{d, cache.Open("cuda", ".cubin", cacheSize)} }

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
	image, err := d.image(render.CUDA(p))
	if err != nil {
		return nil, err
	}
	kernel, err := d.driver.Load(image)
	if err != nil {
		return nil, err
	}
	e := newExecutable(p, o, d.driver, kernel)
	if err := e.allocate(p, o.Lanes); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// image is the machine code of a text, from the cache if it has it.
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

// Close releases the GPU. Executables must be closed before.
func (d *Device) Close() error { return d.driver.Close() }
