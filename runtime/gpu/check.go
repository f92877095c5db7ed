package gpu

import (
	"fmt"
	"math"

	"ppl/compiler/backend/ir"
	"ppl/numbers"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// mostSinglePerDouble is the largest ratio of single-precision to double-precision speed at which a GPU is considered
// suitable. On GPUs for displays the ratio is 32 or 64, and most programs run faster on a CPU.
const mostSinglePerDouble = 4

// Unsuited returns the reason why programs in double precision are slow on this GPU; "" if they are not.
func (d *Device) Unsuited() string {
	about := d.driver.Info()
	if about.SinglePerDouble <= mostSinglePerDouble {
		return ""
	}
	return fmt.Sprintf("%s computes in double precision at 1/%d of its speed in single precision", about.Name,
		about.SinglePerDouble)
}

// Check runs a small program that covers compilation, noise and functions on the GPU and on the host, and reports an
// error if results differ.
func (d *Device) Check() error {
	const lanes = 70
	p := checked()
	var got [2][]float64
	for i, dev := range []device.Device{d, host.Device{}} {
		x, err := dev.Load(p, device.Options{Lanes: lanes, Seed: 1})
		if err != nil {
			return err
		}
		got[i] = make([]float64, lanes*x.Size("x"))
		_, err = x.Run([]device.Call{{Entry: "walk", Times: 3}}, 0, nil)
		x.Get("x", got[i])
		if closed := x.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	for i, want := range got[1] {
		if !(math.Abs(got[0][i]-want) <= 1e-12*math.Max(1, math.Abs(want))) {
			return fmt.Errorf("cuda: %s gives wrong results: it computes %v, and the processor computes %v",
				d.driver.Info().Name, got[0][i], want)
		}
	}
	return nil
}

// checked returns a program with shared data, noise, a sum, and functions: x becomes exp(−(x + z)²)·data + tanh(Σ x).
func checked() *ir.Program {
	p := &ir.Program{}
	data := p.Buffer(ir.Buffer{Name: "data", Space: ir.Shared, Size: 5, Init: numbers.Of(1, -2, 3, 0.5, 7)})
	x := p.Buffer(ir.Buffer{Name: "x", Space: ir.Lane, Size: 5})
	total := p.Buffer(ir.Buffer{Name: "total", Space: ir.Scratch, Size: 1})
	var sum, b ir.Body
	all := sum.Load(x, ir.Dense(5))
	y := b.Do(ir.Add, b.Load(x, ir.Dense(5)), b.Noise(ir.Normal, 1))
	r := b.Do(ir.Add, b.Do(ir.Mul, b.Do(ir.Exp, b.Do(ir.Neg, b.Do(ir.Mul, y, y))), b.Load(data, ir.Dense(5))),
		b.Do(ir.Tanh, b.Load(total, ir.Index{})))
	p.Entries = []ir.Entry{{Name: "walk", Body: []ir.Stmt{
		&ir.Kernel{Extents: []int{5}, Body: sum, Out: []ir.Output{{Buf: total, Value: all, Combine: ir.Sum}}},
		&ir.Kernel{Extents: []int{5}, Body: b, Out: []ir.Output{{Buf: x, Index: ir.Dense(5), Value: r}}}}}}
	return p
}
