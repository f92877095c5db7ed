//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package bench

import (
	"testing"
	"time"

	"ppl/runtime/device"
)

// density loads the log density of a case and its gradient on the native device.
func density(t testing.TB, c Case) (x device.Executable, dim int) {
	p, dim := densityOf(t, c)
	x = loadOn(t, nativeDevice(t), p)
	for lane := range Lanes {
		x.SetLane("theta", lane, placesOf(lane, dim))
	}
	return x, dim
}

// TestFormsAgree checks that the two forms of each model have the same density and gradient.
func TestFormsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	for _, s := range AllSequences() {
		t.Run(s.Name, func(t *testing.T) {
			ragged, padded := s.Forms()
			x, dim := density(t, ragged)
			y, other := density(t, padded)
			if dim != other {
				t.Fatalf("%d and %d coordinates", dim, other)
			}
			runEntry(t, x, "density")(1)
			runEntry(t, y, "density")(1)
			for name, size := range map[string]int{"lp": 1, "grad": dim} {
				got, want := make([]float64, size), make([]float64, size)
				for lane := range Lanes {
					x.GetLane(name, lane, got)
					y.GetLane(name, lane, want)
					for i := range got {
						near(t, name, got[i], want[i])
					}
				}
			}
		})
	}
}

// BenchmarkRagged times the log density and its gradient in both forms; elements/padded is the share of the rectangles
// that the groups fill.
func BenchmarkRagged(b *testing.B) {
	for _, s := range AllSequences() {
		b.Run(s.Name, func(b *testing.B) {
			ragged, padded := s.Forms()
			x, _ := density(b, ragged)
			y, _ := density(b, padded)
			filled := 0
			for _, n := range ragged.Data["m"].([]int) {
				filled += n
			}
			race(b, 2*time.Millisecond, [][2]string{{"ragged", "padded"}}, side{"ragged", runEntry(b, x, "density")},
				side{"padded", runEntry(b, y, "density")})
			b.ReportMetric(float64(filled)/float64(s.groups*s.longest), "elements/padded")
		})
	}
}
