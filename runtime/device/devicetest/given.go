package devicetest

import (
	"fmt"
	"slices"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
)

// testGiven checks that all lanes read the contents that a given buffer has when a call starts.
func testGiven(t *testing.T, d device.Device) {
	for _, lanes := range []int{1, 3, 13} {
		if err := checkGiven(load(t, d, givenProgram(), device.Options{Lanes: lanes, Threads: 2}), lanes); err != nil {
			t.Errorf("%d lanes: %v", lanes, err)
		}
	}
}

// givenProgram uses a given matrix m in products from the left, from the right and transposed, reads a row of it that
// the lane selects, and reads a given number of single precision.
func givenProgram() *ir.Program {
	p := &ir.Program{}
	lane := func(name string, size int) ir.BufID {
		return p.Buffer(ir.Buffer{Name: name, Space: ir.Lane, Size: size})
	}
	m := p.Buffer(ir.Buffer{Name: "m", Size: 6, Given: true})
	s := p.Buffer(ir.Buffer{Name: "s", Type: ir.F32, Size: 2, Given: true})
	p.Buffer(ir.Buffer{Name: "unread", Size: 1, Given: true})
	x := lane("x", 3)
	row := &ir.Kernel{Extents: []int{3}}
	b := (*ir.Body)(&row.Body)
	chosen := b.Load(m, ir.Index{Stride: []int{1}, Dyn: []ir.Dyn{{Reg: b.Load(x, at(0)), Stride: 3, Limit: 2}}})
	row.Out = []ir.Output{{Buf: lane("row", 3), Index: at(1), Value: b.Do(ir.Mul, chosen, b.Load(s, ir.Index{Const: 1,
		Stride: []int{0}}))}}
	p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{row,
		&ir.MatMul{A: m, B: x, C: lane("left", 2), Batch: 1, M: 2, K: 3, N: 1},
		&ir.MatMul{A: x, B: m, C: lane("right", 2), Batch: 1, M: 1, K: 3, N: 2},
		&ir.MatMul{A: m, B: x, C: lane("transposed", 2), Batch: 1, M: 2, K: 3, N: 1, TransA: true}}}}
	return p
}

// checkGiven runs the program three times, with new contents each time except for the matrix in the last run.
func checkGiven(x device.Executable, lanes int) error {
	if names := x.Buffers(); slices.Contains(names, "m") || x.Size("m") != 6 || x.Size("s") != 2 {
		return fmt.Errorf("lane buffers %v, m of %d and s of %d", names, x.Size("m"), x.Size("s"))
	}
	x.Set("unread", []float64{1})
	m := make([]float64, 6)
	for round := range 3 {
		if round < 2 {
			for i := range m {
				m[i] = float64(1 + i*i + 10*round)
			}
			x.Set("m", m)
		}
		scale := 0.1 + float64(round)
		x.Set("s", []float64{0, scale})
		for l := range lanes {
			x.SetLane("x", l, []float64{float64(l % 2), 2, float64(l - round)})
		}
		if _, err := x.Run([]device.Call{{Entry: "run", Times: 1}}, 0, nil); err != nil {
			return err
		}
		kept := make([]float64, 6)
		x.Get("m", kept)
		if !slices.Equal(kept, m) {
			return fmt.Errorf("m is %v, want %v", kept, m)
		}
		for l := range lanes {
			x.GetLane("m", l, kept)
			if !slices.Equal(kept, m) {
				return fmt.Errorf("m of lane %d is %v, want %v", l, kept, m)
			}
			if err := checkGivenLane(x, l, m, float64(float32(scale)), float64(l-round)); err != nil {
				return fmt.Errorf("round %d, lane %d: %w", round, l, err)
			}
		}
	}
	return nil
}

// checkGivenLane compares the results of a lane for x = (lane mod 2, 2, last) with the expected values.
func checkGivenLane(x device.Executable, lane int, m []float64, scale, last float64) error {
	first := float64(lane % 2)
	row := m[3*(lane%2) : 3*(lane%2)+3]
	for name, want := range map[string][]float64{
		"row":        {row[0] * scale, row[1] * scale, row[2] * scale},
		"left":       {first*m[0] + 2*m[1] + last*m[2], first*m[3] + 2*m[4] + last*m[5]},
		"right":      {first*m[0] + 2*m[2] + last*m[4], first*m[1] + 2*m[3] + last*m[5]},
		"transposed": {first*m[0] + 2*m[2] + last*m[4], first*m[1] + 2*m[3] + last*m[5]},
	} {
		got := make([]float64, len(want))
		x.GetLane(name, lane, got)
		if !slices.Equal(got, want) {
			return fmt.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	return nil
}
