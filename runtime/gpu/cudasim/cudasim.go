//go:build !nonative && (linux || darwin) && (amd64 || arm64)

// Package cudasim is a driver for tests: it runs CUDA kernels on the CPU, and simulates failures on request. The text
// of a kernel is compiled as C++ with CUDASIM defined (compiler/backend/render/c/cuda.h), so the same text and the same
// arguments are tested as on a GPU, without one:
//
//	d, err := cudasim.New()
//	d.Fail(cudasim.Failure{Op: "launch", Call: 3, Code: 700, Later: true})
//	device := gpu.New(d)
//
// It cannot reproduce properties of real GPUs: races between threads, limits of registers, other rounding.
package cudasim

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"ppl/runtime/gpu/driver"
)

// flags returns the flags with which kernels are compiled: with little optimisation, so that compilation is fast, and
// without contraction, since other devices must get identical results.
func flags() []string {
	return []string{"-O1", "-w", "-ffp-contract=off", "-DCUDASIM", "-shared", "-fPIC", "-fvisibility=hidden", "-x",
		"c++"}
}

// A Driver simulates a GPU of 1 GB on the CPU. Fields may be changed before the first call.
type Driver struct {
	About  driver.Info
	Bytes  int            // memory of the device
	Needs  driver.Needs   // resources that its kernels report
	Calls  map[string]int // number of calls of each operation
	Graphs int            // number of existing graphs
	// NoLibrary is the error for the missing library for products of matrices; nil if there is a library.
	NoLibrary error

	compiler string
	failures []Failure
	lost     int // code of a fault; 0: none
	pending  int // code of a failure to report later; 0: none
	memory   map[driver.Ptr][]byte
	used     int
	captured *[]func() // operations of the graph that is being captured; nil: nothing is being captured
}

// A Failure makes the n-th call of an operation, counted from 1, return a code. If Later, that call succeeds, and the
// next wait, copy or launch returns the code, as for errors inside a kernel.
type Failure struct {
	// "alloc", "pinned", "load", "launch", "upload", "download", "wait", "free", "capture", "graph"; or, for the
	// library for products, whose codes are statuses, "library" and "product"
	Op    string
	Call  int
	Code  int
	Later bool
}

// New finds a C++ compiler ($CXX, otherwise c++).
func New() (*Driver, error) {
	compiler := os.Getenv("CXX")
	if compiler == "" {
		compiler = "c++"
	}
	out, err := exec.Command(compiler, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("cudasim: no C++ compiler: %w", err)
	}
	version, _, _ := strings.Cut(string(out), "\n")
	return &Driver{About: driver.Info{Name: "the processor", Capability: 90, Compiler: version, Multiprocessors: 2,
		SinglePerDouble: 2}, Bytes: 1 << 30, Calls: map[string]int{}, compiler: compiler,
		memory: map[driver.Ptr][]byte{}}, nil
}

// Fail adds a failure.
func (d *Driver) Fail(f Failure) { d.failures = append(d.failures, f) }

// answer returns the error of an operation: an earlier fault, a delayed failure of an earlier call, or a requested
// failure.
func (d *Driver) answer(op string) error {
	d.Calls[op]++
	if d.lost != 0 {
		return &driver.Error{Op: op, Code: d.lost}
	}
	library := op == "library" || op == "product"
	reports := slices.Contains([]string{"launch", "upload", "download", "wait", "graph", "product"}, op)
	if code := d.pending; code != 0 && reports {
		d.pending = 0
		return d.fail(op, code)
	}
	for _, f := range d.failures {
		if f.Op == op && f.Call == d.Calls[op] {
			if f.Later {
				d.pending = f.Code
				return nil
			}
			if library {
				return &driver.LibraryError{Op: op, Status: f.Code}
			}
			return d.fail(op, f.Code)
		}
	}
	return nil
}

func (d *Driver) fail(op string, code int) error {
	err := &driver.Error{Op: op, Code: code}
	if err.Fault() {
		d.lost = code
	}
	return err
}

// Info returns About.
func (d *Driver) Info() driver.Info { return d.About }

// Free returns the unused part of Bytes.
func (d *Driver) Free() (int, error) { return d.Bytes - d.used, d.answer("free") }

// Compile compiles a text to a shared library.
func (d *Driver) Compile(text string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "ppl-cudasim-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "kernel.so")
	cmd := exec.Command(d.compiler, append(flags(), "-", "-o", path)...)
	cmd.Stdin = strings.NewReader(text)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("cudasim: %w\n%s", err, errs.String())
	}
	return os.ReadFile(path)
}

// Load loads a library under a unique name, so that each module has separate variables.
func (d *Driver) Load(image []byte) (driver.Module, error) {
	if err := d.answer("load"); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", "ppl-cudasim-*.so")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(image)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	handle, err := purego.Dlopen(f.Name(), purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	return &module{d, handle}, nil
}

// Alloc returns memory in which all bits are set, so that a number that is read before it is written is NaN.
func (d *Driver) Alloc(n int) (driver.Ptr, error) {
	if err := d.answer("alloc"); err != nil {
		return 0, err
	}
	if d.used+n > d.Bytes {
		return 0, &driver.Error{Op: "alloc", Code: driver.OutOfMemory}
	}
	b := bytes.Repeat([]byte{0xff}, n+alignment)
	at := driver.Ptr(uintptr(unsafe.Pointer(unsafe.SliceData(b)))+alignment-1) / alignment * alignment
	skip := int(at - driver.Ptr(uintptr(unsafe.Pointer(unsafe.SliceData(b)))))
	d.memory[at] = b[skip : skip+n]
	d.used += n
	return at, nil
}

const alignment = 256

// Release frees memory.
func (d *Driver) Release(p driver.Ptr) error {
	d.used -= len(d.memory[p])
	delete(d.memory, p)
	return nil
}

// Pinned returns memory of the Go heap, since all operations run immediately on the CPU.
func (d *Driver) Pinned(n int) ([]byte, error) {
	if err := d.answer("pinned"); err != nil {
		return nil, err
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n), nil
}

// ReleasePinned does nothing.
func (d *Driver) ReleasePinned([]byte) error { return nil }

// at returns n bytes of memory from an address on, which may be inside an allocation.
func (d *Driver) at(p driver.Ptr, n int) []byte {
	for start, b := range d.memory {
		if p >= start && p+driver.Ptr(n) <= start+driver.Ptr(len(b)) {
			return b[p-start:][:n]
		}
	}
	panic(fmt.Sprintf("cudasim: %d bytes at %x are not the device's", n, p))
}

// Upload copies to the device.
func (d *Driver) Upload(to driver.Ptr, from []byte) error {
	return d.do("upload", func() { copy(d.at(to, len(from)), from) })
}

// Download copies from the device.
func (d *Driver) Download(to []byte, from driver.Ptr) error {
	if err := d.forbidden("download"); err != nil {
		return err
	}
	if err := d.answer("download"); err != nil {
		return err
	}
	copy(to, d.at(from, len(to)))
	return nil
}

// Wait returns immediately, since operations run immediately.
func (d *Driver) Wait() error {
	if err := d.forbidden("wait"); err != nil {
		return err
	}
	return d.answer("wait")
}

// Close releases all memory.
func (d *Driver) Close() error {
	clear(d.memory)
	return nil
}

type module struct {
	*Driver
	handle uintptr
}

func (m *module) Kernel(name string) (driver.Kernel, error) {
	launch, err := purego.Dlsym(m.handle, name)
	return &kernel{m.Driver, launch}, err
}

func (m *module) Close() error { return purego.Dlclose(m.handle) }

type kernel struct {
	*Driver
	launch uintptr
}

func (k *kernel) Needs() driver.Needs { return k.Driver.Needs }

// Launch runs the threads of the grid warp by warp, in an order that differs from launch to launch.
func (k *kernel) Launch(blocks, threads int, args ...uint64) error {
	words := make([]uintptr, 0, len(args)+1)
	for _, a := range args {
		words = append(words, uintptr(a))
	}
	return k.do("launch", func() { purego.SyscallN(k.launch, append(words, uintptr(blocks*threads))...) })
}
