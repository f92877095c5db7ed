//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package gpu_test

import (
	"fmt"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
	"ppl/runtime/gpu"
	"ppl/runtime/gpu/cudasim"
	"ppl/runtime/gpu/driver"
	"ppl/runtime/gpu/gputest"
)

// A tally is a simulated GPU that counts downloads and waits.
type tally struct {
	*cudasim.Driver
	downloads, waits int
}

func (d *tally) Download(to []byte, from driver.Ptr) error {
	d.downloads++
	return d.Driver.Download(to, from)
}

func (d *tally) Wait() error {
	d.waits++
	return d.Driver.Wait()
}

// counters returns a program that adds 1 to a, 2 to b and 3 to c.
func counters() *ir.Program {
	p, k := &ir.Program{}, &ir.Kernel{}
	var body ir.Body
	for i, name := range []string{"a", "b", "c"} {
		p.Buffers = append(p.Buffers, ir.Buffer{Name: name, Space: ir.Lane, Size: 1})
		old := body.Load(ir.BufID(i), ir.Index{})
		sum := body.Do(ir.Add, old, body.Const(float64(i+1)))
		k.Out = append(k.Out, ir.Output{Buf: ir.BufID(i), Value: sum})
	}
	k.Body = body
	p.Entries = []ir.Entry{{Name: "count", Body: []ir.Stmt{k}}}
	return p
}

// TestDownloads checks that buffers read after the last run are downloaded together after the next run, and those no
// longer read are not. Whatever the host reads, and when, it gets the numbers of the last run.
func TestDownloads(t *testing.T) {
	sim, err := cudasim.New()
	if err != nil {
		t.Skip(err)
	}
	d := &tally{Driver: sim}
	x, err := gpu.New(d).Load(counters(), device.Options{Lanes: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for run, c := range []struct {
		read             string
		downloads, waits int // beside the one of the run
	}{
		{"ab", 2, 2}, // nothing is known yet
		{"ab", 2, 1},
		{"ba", 2, 1},
		{"a", 2, 1}, // b is brought once more
		{"a", 1, 1},
		{"", 0, 0},
		{"c", 2, 1},   // with a, which was read after the last download
		{"abc", 3, 2}, // c comes with a
		{"cba", 3, 1},
	} {
		if _, err := x.Run([]device.Call{{Entry: "count", Times: 1}}, uint64(run), nil); err != nil {
			t.Fatal(err)
		}
		d.downloads, d.waits = 0, 0
		for _, name := range c.read {
			got := make([]float64, 3)
			x.Get(string(name), got)
			want := make([]float64, 3)
			for lane := range want {
				want[lane] = float64((run + 1) * int(name-'a'+1))
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("run %d: %c is %v, want %v", run, name, got, want)
			}
		}
		if d.downloads != c.downloads || d.waits != c.waits {
			t.Errorf("run %d reads %q: %d downloads and %d waits, want %d and %d", run, c.read, d.downloads, d.waits,
				c.downloads, c.waits)
		}
	}
}

// TestOptimisers compares first-order methods with those on the host, and checks that their steps follow each other on
// the device: fewer downloads than steps.
func TestOptimisers(t *testing.T) {
	gputest.Optimisers(t, "../../examples/eight_schools.ppl", func() device.Device {
		sim, err := cudasim.New()
		if err != nil {
			t.Skip(err)
		}
		d := &tally{Driver: sim}
		t.Cleanup(func() {
			if d.downloads == 0 || d.downloads > gputest.OptimiserSteps/2 {
				t.Errorf("%d downloads in %d steps", d.downloads, gputest.OptimiserSteps)
			}
		})
		return gpu.New(d)
	})
}
