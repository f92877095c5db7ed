// Package cuda is NVIDIA's driver and compiler as runtime/gpu needs them. The default build opens libcuda and libnvrtc
// when the program runs, without cgo: nothing of CUDA is needed to build or to start it.
//
//	d, err := cuda.Open(0)         // the first GPU; the error says in a sentence what is missing
//	device := gpu.New(d)
//
// It needs a driver for CUDA 12.0 or later and NVRTC of the same major version or an older one, which is looked for in
// $PPL_CUDA, the loader's path, $CUDA_HOME, /usr/local/cuda, and among the packages that pip has installed. Large
// products of matrices take cuBLAS 12 or 13 of the same places, if it is there and no newer than the driver.
//
// A binary built with the tag cu uses gorgonia.org/cu instead, by cgo. It needs the headers of CUDA 12 and libcuda to
// build. That package initialises CUDA when the process starts and ends the process where this fails, so the binary
// does not start on a machine without libcuda.so.1 and a GPU: it cannot say a clear sentence, or run its tests there.
// NVRTC is opened at run time here too; cuBLAS is not used, as that package launches on a stream that cannot be given
// to it. No version of it has run on a GPU.
package cuda
