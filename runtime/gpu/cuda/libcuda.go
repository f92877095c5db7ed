//go:build !cu && !nonative && linux && (amd64 || arm64)

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"ppl/runtime/gpu/driver"
	"ppl/runtime/sys/thread"
)

// libcuda holds functions of the driver's library, bound by their names in cuda.h. All return a CUresult.
type libcuda struct {
	initialize     func(flags uint32) int32
	driverVersion  func(version *int32) int32
	deviceCount    func(n *int32) int32
	device         func(d *int32, number int32) int32
	deviceName     func(name *byte, length int32, d int32) int32
	attribute      func(value *int32, which int32, d int32) int32
	retain         func(context *uintptr, d int32) int32
	release        func(d int32) int32
	setCurrent     func(context uintptr) int32
	memory         func(free, total *uintptr) int32
	alloc          func(p *uint64, bytes uintptr) int32
	free           func(p uint64) int32
	hostAlloc      func(p *unsafe.Pointer, bytes uintptr, flags uint32) int32
	hostFree       func(p unsafe.Pointer) int32
	upload         func(to uint64, from unsafe.Pointer, bytes uintptr, stream uintptr) int32
	download       func(to unsafe.Pointer, from uint64, bytes uintptr, stream uintptr) int32
	load           func(module *uintptr, image *byte) int32
	unload         func(module uintptr) int32
	function       func(f *uintptr, module uintptr, name *byte) int32
	functionNeeds  func(value *int32, which int32, f uintptr) int32
	launch         func(f uintptr, x, y, z, bx, by, bz, shared uint32, stream uintptr, args, extra unsafe.Pointer) int32
	streamCreate   func(stream *uintptr, flags uint32) int32
	streamDestroy  func(stream uintptr) int32
	streamComplete func(stream uintptr) int32

	// functions of graphs; captureBegin is nil if the library lacks one of them
	captureBegin func(stream uintptr, mode int32) int32
	captureEnd   func(stream uintptr, graph *uintptr) int32
	instantiate  func(executable *uintptr, graph uintptr, flags uint64) int32
	graphLaunch  func(executable, stream uintptr) int32
	graphDestroy func(graph uintptr) int32
	graphRelease func(executable uintptr) int32
}

// Installed reports whether this machine has an NVIDIA driver.
func Installed() bool {
	_, err := openLibrary()
	return err == nil
}

func openLibrary() (uintptr, error) {
	handle, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return 0, errors.New("cuda: there is no NVIDIA driver on this machine: libcuda.so.1 is not found")
	}
	return handle, nil
}

func openLibcuda() (*libcuda, error) {
	handle, err := openLibrary()
	if err != nil {
		return nil, err
	}
	l := &libcuda{}
	err = bind(handle, map[string]any{"cuInit": &l.initialize, "cuDriverGetVersion": &l.driverVersion,
		"cuDeviceGetCount": &l.deviceCount, "cuDeviceGet": &l.device, "cuDeviceGetName": &l.deviceName,
		"cuDeviceGetAttribute": &l.attribute, "cuDevicePrimaryCtxRetain": &l.retain,
		"cuDevicePrimaryCtxRelease_v2": &l.release, "cuCtxSetCurrent": &l.setCurrent, "cuMemGetInfo_v2": &l.memory,
		"cuMemAlloc_v2": &l.alloc, "cuMemFree_v2": &l.free, "cuMemHostAlloc": &l.hostAlloc,
		"cuMemFreeHost":        &l.hostFree,
		"cuMemcpyHtoDAsync_v2": &l.upload, "cuMemcpyDtoHAsync_v2": &l.download, "cuModuleLoadData": &l.load,
		"cuModuleUnload": &l.unload, "cuModuleGetFunction": &l.function, "cuFuncGetAttribute": &l.functionNeeds,
		"cuLaunchKernel": &l.launch, "cuStreamCreate": &l.streamCreate, "cuStreamDestroy_v2": &l.streamDestroy,
		"cuStreamSynchronize": &l.streamComplete})
	if err != nil {
		return nil, fmt.Errorf("cuda: the NVIDIA driver is too old: %w", err)
	}
	if bind(handle, map[string]any{"cuStreamBeginCapture_v2": &l.captureBegin, "cuStreamEndCapture": &l.captureEnd,
		"cuGraphInstantiateWithFlags": &l.instantiate, "cuGraphLaunch": &l.graphLaunch,
		"cuGraphDestroy": &l.graphDestroy, "cuGraphExecDestroy": &l.graphRelease}) != nil {
		l.captureBegin = nil
	}
	return l, nil
}

// A gpuDriver is a GPU accessed through libcuda. All calls run on its thread.
type gpuDriver struct {
	thread          *thread.Thread
	lib             *libcuda
	nvrtc           *NVRTC
	info            driver.Info
	device          int32
	context, stream uintptr
	blas            *cublas
	noBlas          error // why cuBLAS could not be opened, after an attempt
	major           int   // major version of CUDA that the driver supports
}

// Open opens a GPU by number. The error is a sentence for the user.
func Open(number int) (driver.Driver, error) {
	lib, err := openLibcuda()
	if err != nil {
		return nil, err
	}
	d := &gpuDriver{thread: thread.New(), lib: lib}
	d.thread.Do(func() { err = d.open(number) })
	if err != nil {
		d.thread.Close()
		return nil, err
	}
	return d, nil
}

// result returns nil for CUDA_SUCCESS.
func result(op string, code int32) error {
	if code == 0 {
		return nil
	}
	return &driver.Error{Op: op, Code: int(code)}
}

func (d *gpuDriver) open(number int) error {
	if err := result("cuInit", d.lib.initialize(0)); err != nil {
		return err
	}
	var version, count int32
	d.lib.driverVersion(&version)
	if err := recent(int(version)); err != nil {
		return err
	}
	if err := result("cuDeviceGetCount", d.lib.deviceCount(&count)); err != nil {
		return err
	}
	if number >= int(count) {
		return noSuchGPU(number, int(count))
	}
	var err error
	d.major = int(version / 1000)
	if d.nvrtc, err = OpenNVRTC(d.major); err != nil {
		return err
	}
	if err := result("cuDeviceGet", d.lib.device(&d.device, int32(number))); err != nil {
		return err
	}
	d.describe(int(count))
	if err := result("cuDevicePrimaryCtxRetain", d.lib.retain(&d.context, d.device)); err != nil {
		return err
	}
	if err := result("cuCtxSetCurrent", d.lib.setCurrent(d.context)); err != nil {
		return err
	}
	return result("cuStreamCreate", d.lib.streamCreate(&d.stream, 1))
}

func (d *gpuDriver) describe(count int) {
	name := make([]byte, 256)
	d.lib.deviceName(unsafe.SliceData(name), int32(len(name)), d.device)
	of := func(which int32) int {
		var value int32
		d.lib.attribute(&value, which, d.device)
		return int(value)
	}
	d.info = driver.Info{Name: strings.TrimRight(string(name), "\x00"),
		Capability: 10*of(capabilityMajor) + of(capabilityMinor), Compiler: d.nvrtc.String(),
		Multiprocessors: of(multiprocessors), SinglePerDouble: of(singlePerDouble), Devices: count}
}

// call makes one call on the thread.
func (d *gpuDriver) call(op string, f func() int32) error {
	var code int32
	d.thread.Do(func() { code = f() })
	return result(op, code)
}

func (d *gpuDriver) Info() driver.Info { return d.info }

func (d *gpuDriver) Free() (int, error) {
	var free, total uintptr
	err := d.call("cuMemGetInfo", func() int32 { return d.lib.memory(&free, &total) })
	return int(free), err
}

func (d *gpuDriver) Compile(text string) ([]byte, error) {
	return d.nvrtc.Compile(text, d.info.Capability)
}

func (d *gpuDriver) Alloc(bytes int) (driver.Ptr, error) {
	var p uint64
	err := d.call("cuMemAlloc", func() int32 { return d.lib.alloc(&p, uintptr(bytes)) })
	return driver.Ptr(p), err
}

func (d *gpuDriver) Release(p driver.Ptr) error {
	return d.call("cuMemFree", func() int32 { return d.lib.free(uint64(p)) })
}

func (d *gpuDriver) Pinned(bytes int) ([]byte, error) {
	var p unsafe.Pointer
	if err := d.call("cuMemHostAlloc", func() int32 { return d.lib.hostAlloc(&p, uintptr(bytes), 0) }); err != nil {
		return nil, err
	}
	b := unsafe.Slice((*byte)(p), bytes)
	clear(b)
	return b, nil
}

func (d *gpuDriver) ReleasePinned(b []byte) error {
	return d.call("cuMemFreeHost", func() int32 { return d.lib.hostFree(unsafe.Pointer(unsafe.SliceData(b))) })
}

func (d *gpuDriver) Upload(to driver.Ptr, from []byte) error {
	return d.call("cuMemcpyHtoDAsync", func() int32 {
		return d.lib.upload(uint64(to), unsafe.Pointer(unsafe.SliceData(from)), uintptr(len(from)), d.stream)
	})
}

func (d *gpuDriver) Download(to []byte, from driver.Ptr) error {
	return d.call("cuMemcpyDtoHAsync", func() int32 {
		return d.lib.download(unsafe.Pointer(unsafe.SliceData(to)), uint64(from), uintptr(len(to)), d.stream)
	})
}

func (d *gpuDriver) Wait() error {
	return d.call("cuStreamSynchronize", func() int32 { return d.lib.streamComplete(d.stream) })
}

func (d *gpuDriver) Close() error {
	err := d.call("cuDevicePrimaryCtxRelease", func() int32 {
		if d.blas != nil {
			d.blas.destroy(d.blas.handle)
			d.lib.free(d.blas.workspace)
		}
		d.lib.streamDestroy(d.stream)
		return d.lib.release(d.device)
	})
	d.thread.Close()
	return err
}

type module struct {
	*gpuDriver
	handle uintptr
}

func (d *gpuDriver) Load(image []byte) (driver.Module, error) {
	m := &module{gpuDriver: d}
	err := d.call("cuModuleLoadData", func() int32 { return d.lib.load(&m.handle, unsafe.SliceData(image)) })
	return m, err
}

func (m *module) Kernel(name string) (driver.Kernel, error) {
	k := &kernel{gpuDriver: m.gpuDriver}
	err := m.call("cuModuleGetFunction", func() int32 { return m.lib.function(&k.function, m.handle, cString(name)) })
	if err != nil {
		return nil, err
	}
	m.thread.Do(func() {
		var registers, local int32
		m.lib.functionNeeds(&registers, functionRegisters, k.function)
		m.lib.functionNeeds(&local, functionLocalBytes, k.function)
		k.needs = driver.Needs{Registers: int(registers), LocalBytes: int(local)}
	})
	return k, nil
}

func (m *module) Close() error {
	return m.call("cuModuleUnload", func() int32 { return m.lib.unload(m.handle) })
}

// A kernel is a function of a module.
type kernel struct {
	*gpuDriver
	function uintptr
	needs    driver.Needs
}

func (k *kernel) Needs() driver.Needs { return k.needs }

// Launch passes pointers to the arguments, which the driver copies.
func (k *kernel) Launch(blocks, threads int, args ...uint64) error {
	var pin runtime.Pinner
	defer pin.Unpin()
	pointers := make([]unsafe.Pointer, len(args))
	for i := range args {
		pin.Pin(&args[i])
		pointers[i] = unsafe.Pointer(&args[i])
	}
	return k.call("cuLaunchKernel", func() int32 {
		return k.lib.launch(k.function, uint32(blocks), 1, 1, uint32(threads), 1, 1, 0, k.stream,
			unsafe.Pointer(unsafe.SliceData(pointers)), nil)
	})
}
