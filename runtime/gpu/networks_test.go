//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package gpu_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"ppl/compiler/backend/ir"
	list "ppl/numbers"
	"ppl/runtime/device"
	"ppl/runtime/gpu"
	"ppl/runtime/gpu/cudasim"
	"ppl/runtime/gpu/driver"
	"ppl/runtime/gpu/gputest"
	"ppl/runtime/host"
)

// TestNetworks tests steps of networks by points, with products by a library, with the cuts that a GPU would have, and
// scratch memory filled with NaN.
func TestNetworks(t *testing.T) {
	gputest.Networks(t, func() device.Device {
		d, _ := open(t, gpu.ByPoints(true), gpu.Poisoned())
		return d
	})
}

// manyProducts returns products for a library: with all transposes, one or several per lane, with an operand that these
// share or that is data, and with parts of buffers in a recurrence.
func manyProducts(of ir.Type) *ir.Program {
	const m, k, n, turns, most = 20, 70, 50, 3, 16
	p := &ir.Program{Layout: ir.Apart}
	lane := func(name string, size int) ir.BufID {
		return p.Buffer(ir.Buffer{Name: name, Space: ir.Lane, Type: of, Size: size})
	}
	wave := make([]float64, most*m*k)
	for i := range wave {
		wave[i] = math.Sin(float64(i*i + 1))
	}
	data := p.Buffer(ir.Buffer{Name: "data", Space: ir.Shared, Type: of, Size: most * m * k, Init: list.Of(wave...)})
	a, b := lane("a", most*m*k), lane("b", most*k*n)
	keep := func(c, to ir.BufID, size int) *ir.Kernel {
		var body ir.Body
		return &ir.Kernel{Extents: []int{size}, Out: []ir.Output{{Buf: to, Index: ir.Dense(size),
			Value: body.Load(c, ir.Dense(size))}}, Body: body}
	}
	var body []ir.Stmt
	for bits := range 48 {
		s := &ir.MatMul{A: a, B: b, Batch: []int{1, 2, most}[bits>>4], M: m, K: k, N: n, TransA: bits&1 > 0,
			TransB: bits&2 > 0, SharedA: bits&4 > 0}
		if bits&8 > 0 {
			s.A = data
		}
		if s.Batch == 1 {
			s.SharedA, s.PartA.First, s.PartB.First = false, 8, 3
		}
		s.C = p.Buffer(ir.Buffer{Space: ir.Scratch, Type: of, Size: s.Batch * m * n})
		body = append(body, s, keep(s.C, lane(fmt.Sprint("c", bits), s.Batch*m*n), s.Batch*m*n))
	}
	all := p.Buffer(ir.Buffer{Space: ir.Scratch, Type: of, Size: turns * m * n})
	rows := lane("rows", turns*m*k)
	body = append(body, &ir.Loop{N: turns, Reverse: true, Body: []ir.Stmt{&ir.MatMul{A: rows, B: b, C: all, Batch: 1,
		M: m, K: k, N: n, PartA: ir.Part{Step: m * k}, PartC: ir.Part{Step: m * n}}}},
		keep(all, lane("all", turns*m*n), turns*m*n))
	p.Entries = []ir.Entry{{Name: "run", Body: body}}
	return p
}

// TestProducts checks that products by a library agree with host, and that they differ if the library gets wrong
// matrices.
func TestProducts(t *testing.T) {
	for of, tol := range map[ir.Type]float64{ir.F64: 1e-12, ir.F32: 1e-5} {
		p := manyProducts(of)
		want := ends(t, host.Device{}, p, 18)
		for name, fault := range map[string]func(*driver.Product){
			"none":          func(*driver.Product) {},
			"transposed":    func(p *driver.Product) { p.A.Transposed = !p.A.Transposed },
			"of lane 0":     func(p *driver.Product) { p.B.Each = 0 },
			"too few":       func(p *driver.Product) { p.Batch = max(1, p.Batch-15) },
			"part of a sum": func(p *driver.Product) { p.K-- },
			"one result":    func(p *driver.Product) { p.C.Each = 0 },
		} {
			if of == ir.F32 && name != "none" || testing.Short() && name != "none" && name != "transposed" {
				continue
			}
			_, sim := open(t)
			sim.Bytes = 1 << 31
			d := gpu.New(wrongProducts{sim, fault}, gpu.ByPoints(true))
			got, worst := ends(t, d, p, 18), 0.0
			for i, w := range want {
				gap := math.Abs(got[i]-w) / math.Max(1, math.Abs(w))
				if gap != gap {
					gap = math.Inf(1)
				}
				worst = max(worst, gap)
			}
			if agrees := worst <= tol; agrees != (name == "none") {
				t.Errorf("%v, %s: the largest difference is %v", of, name, worst)
			}
			if sim.Calls["product"] < 2*(16*2+16*2*2+16*18+3*2) {
				t.Errorf("%d calls of the library", sim.Calls["product"])
			}
		}
	}
}

type wrongProducts struct {
	*cudasim.Driver
	change func(*driver.Product)
}

func (d wrongProducts) Multiply(p driver.Product) error {
	d.change(&p)
	return d.Driver.Multiply(p)
}

// ends returns the numbers of the first and the last lane.
func ends(t *testing.T, d device.Device, p *ir.Program, lanes int) []float64 {
	return append(numbers(t, d, p, lanes, 0), numbers(t, d, p, lanes, lanes-1)...)
}

// TestProductsSameBytes checks that with products by a library, which adds in another order than kernels, a lane has
// the same bytes whatever the number of lanes, with and without graphs.
func TestProductsSameBytes(t *testing.T) {
	p, _ := gputest.Network(t, 32)
	first, _ := open(t)
	want := numbers(t, first, p, 1, 0)
	for _, options := range [][]gpu.Option{nil, {gpu.WithoutGraphs()}} {
		for _, lanes := range []int{15, 33} {
			d, sim := open(t, options...)
			if got := numbers(t, d, p, lanes, 0); !same(got, want) {
				t.Errorf("%d lanes: other bytes", lanes)
			}
			if sim.Calls["product"] == 0 {
				t.Error("no products by the library")
			}
		}
	}
	kernels, sim := open(t)
	sim.NoLibrary = errors.New("cuda: there is no library")
	if same(numbers(t, kernels, p, 1, 0), want) {
		t.Error("the library and kernels have the same bytes: this test notices nothing")
	}
}

// TestMaskedProducts checks that lanes that do not run keep their numbers, though the library computes products for
// them as well.
func TestMaskedProducts(t *testing.T) {
	p, target := gputest.Network(t, 32)
	const lanes = 5
	var got [2]device.Executable
	for i, mask := range [][]bool{{true, false, true, true, false}, nil} {
		d, _ := open(t)
		x, err := d.Load(p, device.Options{Lanes: lanes, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		gputest.StartNetwork(x, target, lanes)
		if _, err := x.Run([]device.Call{{Entry: "step", Times: 2}}, 0, mask); err != nil {
			t.Fatal(err)
		}
		got[i] = x
	}
	for l, runs := range []bool{true, false, true, true, false} {
		some, all := make([]float64, target.Dim()), make([]float64, target.Dim())
		got[0].GetLane("theta", l, some)
		got[1].GetLane("theta", l, all)
		if same(some, all) != runs {
			t.Errorf("lane %d of those that run: %v", l, runs)
		}
	}
}

// TestLibraryMissing checks that kernels compute products without a library and that the note gives the reason, and
// that an error of a product ends the run with a sentence.
func TestLibraryMissing(t *testing.T) {
	p, target := gputest.Network(t, 32)
	for _, c := range []struct {
		name    string
		missing error
		failure cudasim.Failure
		note    string
		err     string
	}{
		{name: "all is there", note: " of them products of matrices by simulated cuBLAS)"},
		{name: "missing", missing: errors.New("cuda: it is not in /usr/lib"),
			note: "products of matrices by kernels of ppl: it is not in /usr/lib)"},
		{name: "no memory", failure: cudasim.Failure{Op: "library", Call: 1, Code: 3},
			note: "by kernels of ppl: the GPU has not enough free memory for cuBLAS (ALLOC_FAILED in library))"},
		{name: "another GPU", failure: cudasim.Failure{Op: "library", Call: 1, Code: 8},
			note: "this version of cuBLAS does not support this GPU: install another version (ARCH_MISMATCH in " +
				"library)"},
		{name: "a product fails", failure: cudasim.Failure{Op: "product", Call: 3, Code: 13},
			err: "cuda: a product of matrices by cuBLAS failed on the GPU (EXECUTION_FAILED in product)"},
		{name: "not supported", failure: cudasim.Failure{Op: "product", Call: 1, Code: 15},
			err: "cuda: cuBLAS cannot compute a product of matrices (NOT_SUPPORTED in product)"},
		{name: "a status that is not in the table", failure: cudasim.Failure{Op: "product", Call: 1, Code: 99},
			err: "cuda: product failed (status 99 of cuBLAS)"},
		{name: "a fault in a product", failure: cudasim.Failure{Op: "product", Call: 2, Code: 700, Later: true},
			err: "a kernel read or wrote outside its memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, sim := open(t)
			sim.NoLibrary = c.missing
			sim.Fail(c.failure)
			x, err := d.Load(p, device.Options{Lanes: 2})
			if err != nil {
				t.Fatal(err)
			}
			gputest.StartNetwork(x, target, 2)
			_, err = x.Run([]device.Call{{Entry: "step", Times: 1}}, 0, nil)
			if says := x.(interface{ Statement() string }).Statement(); !strings.Contains(says, c.note) {
				t.Errorf("the note is %q", says)
			}
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMemoryOfProducts checks that the memory for products of missing lanes is counted on the device, and that there is
// none on the host.
func TestMemoryOfProducts(t *testing.T) {
	p := manyProducts(ir.F32)
	var used [2]int
	for i, missing := range []error{nil, errors.New("cuda: there is no library")} {
		d, sim := open(t, gpu.ByPoints(true))
		sim.NoLibrary = missing
		x, err := d.Load(p, device.Options{Lanes: 17})
		if err != nil {
			t.Fatal(err)
		}
		free, _ := sim.Free()
		used[i] = sim.Bytes - free
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		if after, _ := sim.Free(); after != sim.Bytes {
			t.Errorf("%d bytes are not given back", sim.Bytes-after)
		}
	}
	if ratio := float64(used[0]) / float64(used[1]); !(ratio > 1.7 && ratio < 1.95) {
		t.Errorf("17 lanes take %v times the memory with a library, which has 32", ratio)
	}
}
