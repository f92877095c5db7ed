//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package gpu_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
	"ppl/runtime/gpu/cudasim"
	"ppl/runtime/gpu/driver"
)

// doubling returns a program that doubles x.
func doubling() *ir.Program {
	var b ir.Body
	x := b.Load(0, ir.Dense(3))
	r := b.Do(ir.Add, x, x)
	return &ir.Program{Buffers: []ir.Buffer{{Name: "x", Space: ir.Lane, Size: 3}}, Entries: []ir.Entry{{Name: "double",
		Body: []ir.Stmt{&ir.Kernel{Extents: []int{3}, Body: b, Out: []ir.Output{{Index: ir.Dense(3), Value: r}}}}}}}
}

// TestFailures checks that each driver error makes Load or Run return a sentence about what happened. Numbers from
// before the error are unchanged. After a fault of the GPU every call fails.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name    string
		failure cudasim.Failure
		want    string
		fault   bool
	}{
		{"no memory", cudasim.Failure{Op: "alloc", Call: 1, Code: 2}, "not enough free memory", false},
		{"no pinned memory", cudasim.Failure{Op: "pinned", Call: 1, Code: 2}, "not enough free memory", false},
		{"no memory for the code", cudasim.Failure{Op: "load", Call: 1, Code: 2}, "not enough free memory", false},
		{"code for another GPU", cudasim.Failure{Op: "load", Call: 1, Code: 209}, "does not suit this GPU", false},
		{"busy", cudasim.Failure{Op: "free", Call: 1, Code: 46}, "the GPU is not available", false},
		{"lost before", cudasim.Failure{Op: "upload", Call: 1, Code: 999}, "no longer responds", true},
		{"fault in the kernel", cudasim.Failure{Op: "launch", Call: 2, Code: 700, Later: true}, "outside its memory",
			true},
		{"stack", cudasim.Failure{Op: "launch", Call: 1, Code: 714, Later: true}, "stack was damaged", true},
		{"memory error", cudasim.Failure{Op: "wait", Call: 2, Code: 214}, "memory has an error", true},
		{"long-running kernel", cudasim.Failure{Op: "launch", Call: 2, Code: 702, Later: true}, "ran longer", true},
		{"lost while copying back", cudasim.Failure{Op: "download", Call: 1, Code: 999}, "no longer responds", true},
		{"an answer that is not in the table", cudasim.Failure{Op: "launch", Call: 1, Code: 12345}, "error 12345",
			false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, sim := open(t)
			sim.Fail(c.failure)
			x, err := d.Load(doubling(), device.Options{Lanes: 40})
			for i := 0; err == nil && i < 3; i++ {
				_, err = x.Run([]device.Call{{Entry: "double", Times: 1}}, uint64(i), nil)
				x.GetLane("x", 0, make([]float64, 3))
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "cuda: ") ||
				strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q, want one line with %q", err, c.want)
			}
			code := (*driver.Error)(nil)
			if !errors.As(err, &code) || code.Fault() != c.fault {
				t.Errorf("%v: a fault is %v, want %v", err, !c.fault, c.fault)
			}
			if x == nil {
				return
			}
			if _, err := x.Run([]device.Call{{Entry: "double", Times: 1}}, 9, nil); err == nil {
				t.Error("runs after it has failed")
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestLostNumbers checks that numbers that could not be downloaded are NaN.
func TestLostNumbers(t *testing.T) {
	d, sim := open(t)
	sim.Fail(cudasim.Failure{Op: "download", Call: 1, Code: 719})
	x, err := d.Load(doubling(), device.Options{Lanes: 1})
	if err != nil {
		t.Fatal(err)
	}
	x.Set("x", []float64{1, 2, 3})
	if _, err := x.Run([]device.Call{{Entry: "double", Times: 1}}, 0, nil); err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 3)
	if x.Get("x", got); !math.IsNaN(got[0]) || !math.IsNaN(got[2]) {
		t.Errorf("%v after the device was lost", got)
	}
}

// TestSmallerBlocks checks that a kernel with too many registers for a block of 128 threads runs in blocks of 64 or 32,
// with the same result, and that it is refused with advice if these are too large as well.
func TestSmallerBlocks(t *testing.T) {
	for refused, ok := range map[int]bool{0: true, 1: true, 2: true, 3: false} {
		d, sim := open(t)
		sim.Needs.Registers = 255
		for i := range refused {
			sim.Fail(cudasim.Failure{Op: "launch", Call: i + 1, Code: driver.TooManyNeeds})
		}
		x, err := d.Load(doubling(), device.Options{Lanes: 32 * 40})
		if err != nil {
			t.Fatal(err)
		}
		x.SetLane("x", 32*40-1, []float64{1, 2, 3})
		_, err = x.Run([]device.Call{{Entry: "double", Times: 1}}, 0, nil)
		if !ok {
			if err == nil || !strings.Contains(err.Error(), "255 for each thread; --device native") {
				t.Errorf("%d refusals: %v", refused, err)
			}
			continue
		}
		got := make([]float64, 3)
		if x.GetLane("x", 32*40-1, got); err != nil || got[2] != 6 {
			t.Errorf("%d refusals: %v, %v", refused, got, err)
		}
	}
}

// TestMemoryIsCounted checks that a program that does not fit is refused before memory is requested; the error names
// the largest buffers and the number of lanes that would fit. It also checks that all memory is freed on Close.
func TestMemoryIsCounted(t *testing.T) {
	d, sim := open(t)
	p := doubling()
	p.Buffers = append(p.Buffers, ir.Buffer{Name: "large", Space: ir.Lane, Size: 1000},
		ir.Buffer{Name: "middling", Space: ir.Lane, Size: 100})
	_, err := d.Load(p, device.Options{Lanes: 1 << 20})
	if err == nil {
		t.Fatal("nine GB fit into one")
	}
	const want = "cuda: 1048576 lanes need 9.3 GB of the GPU's memory and 1.1 GB are free (largest: `large` 8.4 GB, " +
		"`middling` 839 MB, `x` 25 MB); some 121"
	if !strings.HasPrefix(err.Error(), want) || sim.Calls["alloc"] != 0 {
		t.Errorf("%v; %d allocations", err, sim.Calls["alloc"])
	}
	free, _ := sim.Free()
	sim.Needs.LocalBytes = 3400
	x, err := d.Load(p, device.Options{Lanes: 100})
	if err != nil {
		t.Fatal(err)
	}
	if s := x.(interface{ Statement() string }).Statement(); s != "the processor: lanes 100, memory 2 MB, by lanes" {
		t.Error(s)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if after, _ := sim.Free(); after != free {
		t.Errorf("%d bytes are not given back", free-after)
	}
}

// TestCopies checks that only buffers that were set are uploaded, and only those that are read are downloaded.
func TestCopies(t *testing.T) {
	d, sim := open(t)
	x, err := d.Load(doubling(), device.Options{Lanes: 64})
	if err != nil {
		t.Fatal(err)
	}
	before := sim.Calls["upload"]
	run := func() {
		t.Helper()
		if _, err := x.Run([]device.Call{{Entry: "double", Times: 3}}, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	x.SetLane("x", 5, []float64{1, 1, 1})
	x.SetLane("x", 6, []float64{2, 2, 2})
	run() // the buffer and the call
	run() // the call
	if n := sim.Calls["upload"] - before; n != 3 || sim.Calls["download"] != 0 {
		t.Errorf("%d uploads, %d downloads", n, sim.Calls["download"])
	}
	got := make([]float64, 3)
	x.GetLane("x", 5, got)
	x.GetLane("x", 6, got)
	if got[0] != 128 || sim.Calls["download"] != 1 {
		t.Errorf("%v after %d downloads", got, sim.Calls["download"])
	}
	x.SetLane("x", 5, []float64{1, 1, 1}) // the others stay what the device computed
	run()
	if x.GetLane("x", 6, got); got[0] != 1024 {
		t.Errorf("another lane has %v, want 1024", got[0])
	}
}

// TestLongSchedules checks that a schedule with more calls than one launch takes runs in order, with consecutive steps.
func TestLongSchedules(t *testing.T) {
	d, sim := open(t)
	x, err := d.Load(doubling(), device.Options{Lanes: 2})
	if err != nil {
		t.Fatal(err)
	}
	x.Set("x", []float64{1, 1, 1, 1, 1, 1})
	next, err := x.Run(make([]device.Call, 0), 5, nil)
	if err != nil || next != 5 {
		t.Error(next, err)
	}
	calls := make([]device.Call, 150)
	for i := range calls {
		calls[i] = device.Call{Entry: "double", Times: i % 2}
	}
	next, err = x.Run(calls, 5, nil)
	got := make([]float64, 6)
	if x.Get("x", got); err != nil || next != 80 || got[0] != 0x1p75 || sim.Calls["launch"] != 3 {
		t.Errorf("%v, step %d after %d launches: %v", got, next, sim.Calls["launch"], err)
	}
}
