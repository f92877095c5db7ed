// Package cuda implements package driver with NVIDIA's driver and compiler. The default build opens libcuda and
// libnvrtc at run time, without cgo: neither building nor starting it needs CUDA.
//
//	d, err := cuda.Open(0)         // the first GPU; the error is a sentence that describes what is missing
//	device := gpu.New(d)
//
// It needs a driver for CUDA 12.0 or later and NVRTC of the same or an older major version. It searches for NVRTC in
// $PPL_CUDA, the loader's path, $CUDA_HOME, /usr/local/cuda, and the packages that pip has installed. Large products of
// matrices use cuBLAS 12 or 13 from the same places, if it is available and not newer than the driver.
//
// A binary built with the tag cu uses gorgonia.org/cu instead, through cgo. It needs the headers of CUDA 12 and libcuda
// to build. That package initialises CUDA when the process starts and ends the process if this fails. So the binary
// does not start on a machine without libcuda.so.1 and a GPU, and cannot print a clear message or run its tests there.
// NVRTC is opened at run time here too. cuBLAS is not used, since the package launches on a stream that cannot be
// passed to it. A binary with this tag has not been tested on a GPU.
package cuda
