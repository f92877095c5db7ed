//go:build !cu && !nonative && linux && (amd64 || arm64)

package cuda

import (
	"fmt"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"ppl/runtime/gpu/driver"
)

// A cublas is NVIDIA's library for products of matrices, prepared for one stream. It is large, so it is opened only
// when a program has products for it.
type cublas struct {
	major, minor int
	handle       uintptr
	workspace    uint64

	property     func(which int32, value *int32) int32
	create       func(handle *uintptr) int32
	destroy      func(handle uintptr) int32
	setStream    func(handle, stream uintptr) int32
	setWorkspace func(handle uintptr, at uint64, bytes uintptr) int32
	setMath      func(handle uintptr, mode int32) int32
	single       multiply
	double       multiply
}

// multiply is the type of cublasSgemmStridedBatched and its double-precision counterpart. Matrices are column-major.
type multiply func(handle uintptr, transA, transB, m, n, k int32, alpha unsafe.Pointer, a uint64, lda int32,
	eachA int64, b uint64, ldb int32, eachB int64, beta unsafe.Pointer, c uint64, ldc int32, eachC int64,
	batch int32) int32

// Constants of cublas_api.h.
const (
	transposed = 1 // CUBLAS_OP_T
	// CUBLAS_DEFAULT_MATH: intermediate results have at least the precision of the operands, so that products in single
	// precision are not computed in TF32.
	fullPrecision = 0
)

// Size of the workspace that cuBLAS recommends. It is supplied explicitly, so that a captured graph allocates nothing,
// and results do not depend on the available memory.
const (
	workspaceOfHopper = 32 << 20 // for compute capability 9.0 and later
	workspaceOfOthers = 4 << 20
)

// openCublas finds the newest library whose major version is at most the given one. The error names the places that
// were searched.
func openCublas(major int) (*cublas, error) {
	newer, places := "", searched("cublas")
	for _, path := range paths("libcublas", places) {
		b, err := loadCublas(path)
		switch {
		case err != nil:
		case b.major <= major:
			return b, nil
		case newer == "":
			newer = path
		}
	}
	if newer != "" {
		return nil, fmt.Errorf("%s is for a later CUDA than the driver, which is for CUDA %d: update the driver, or "+
			"pip install nvidia-cublas-cu%d", newer, major, major)
	}
	return nil, fmt.Errorf("cuBLAS 12 or 13, NVIDIA's library for matrix products, cannot be loaded from %s: pip "+
		"install nvidia-cublas-cu12, or set PPL_CUDA to its directory", strings.Join(places, ", "))
}

func loadCublas(path string) (*cublas, error) {
	dir, name := filepath.Split(path)
	// The library depends on cublasLt of the same directory, which the loader would search elsewhere.
	_, _ = purego.Dlopen(dir+strings.Replace(name, "cublas", "cublasLt", 1), purego.RTLD_NOW|purego.RTLD_GLOBAL)
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	b := &cublas{}
	if err := bind(handle, map[string]any{"cublasGetProperty": &b.property, "cublasCreate_v2": &b.create,
		"cublasDestroy_v2": &b.destroy, "cublasSetStream_v2": &b.setStream, "cublasSetWorkspace_v2": &b.setWorkspace,
		"cublasSetMathMode": &b.setMath, "cublasSgemmStridedBatched": &b.single,
		"cublasDgemmStridedBatched": &b.double}); err != nil {
		return nil, err
	}
	var major, minor int32
	b.property(0, &major)
	b.property(1, &minor)
	b.major, b.minor = int(major), int(minor)
	return b, nil
}

func (b *cublas) String() string { return fmt.Sprintf("cuBLAS %d.%d", b.major, b.minor) }

// status returns nil for CUBLAS_STATUS_SUCCESS.
func status(op string, code int32) error {
	if code == 0 {
		return nil
	}
	return &driver.LibraryError{Op: op, Status: int(code)}
}

// Library opens cuBLAS.
func (d *gpuDriver) Library() (string, error) {
	if d.blas == nil && d.noBlas == nil {
		d.thread.Do(func() { d.blas, d.noBlas = d.openCublas() })
	}
	if d.noBlas != nil {
		return "", d.noBlas
	}
	return d.blas.String(), nil
}

func (d *gpuDriver) openCublas() (*cublas, error) {
	b, err := openCublas(d.major)
	if err != nil {
		return nil, err
	}
	if err := status("cublasCreate", b.create(&b.handle)); err != nil {
		return nil, err
	}
	if err := d.prepare(b); err != nil {
		b.destroy(b.handle)
		return nil, err
	}
	return b, nil
}

// prepare sets the stream, the workspace and the mode of a handle. The stream must come first, since setting it resets
// the workspace.
func (d *gpuDriver) prepare(b *cublas) error {
	bytes := uintptr(workspaceOfOthers)
	if d.info.Capability >= 90 {
		bytes = workspaceOfHopper
	}
	if err := result("cuMemAlloc", d.lib.alloc(&b.workspace, bytes)); err != nil {
		return err
	}
	err := status("cublasSetStream", b.setStream(b.handle, d.stream))
	if err == nil {
		err = status("cublasSetWorkspace", b.setWorkspace(b.handle, b.workspace, bytes))
	}
	if err == nil {
		err = status("cublasSetMathMode", b.setMath(b.handle, fullPrecision))
	}
	if err != nil {
		d.lib.free(b.workspace)
	}
	return err
}

// Multiply computes Cᵀ = Bᵀ·Aᵀ, since a row-major matrix is the transpose of a column-major one.
func (d *gpuDriver) Multiply(p driver.Product) error {
	op, f := "cublasDgemmStridedBatched", d.blas.double
	one, zero := 1.0, 0.0
	alpha, beta := unsafe.Pointer(&one), unsafe.Pointer(&zero)
	if p.Single {
		op, f = "cublasSgemmStridedBatched", d.blas.single
		one, zero := float32(1), float32(0)
		alpha, beta = unsafe.Pointer(&one), unsafe.Pointer(&zero)
	}
	stored := func(m driver.Matrix, rows, cols int) (trans, line int32) {
		if m.Transposed {
			return transposed, int32(rows)
		}
		return 0, int32(cols)
	}
	transA, lineA := stored(p.A, p.M, p.K)
	transB, lineB := stored(p.B, p.K, p.N)
	var code int32
	d.thread.Do(func() {
		code = f(d.blas.handle, transB, transA, int32(p.N), int32(p.M), int32(p.K), alpha, uint64(p.B.At), lineB,
			int64(p.B.Each), uint64(p.A.At), lineA, int64(p.A.Each), beta, uint64(p.C.At), int32(p.N), int64(p.C.Each),
			int32(p.Batch))
	})
	return status(op, code)
}
