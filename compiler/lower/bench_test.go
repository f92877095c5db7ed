package lower_test

import (
	"testing"

	"ppl/compiler/lower"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// BenchmarkLeapfrog is one step of eight lanes on the host.
func BenchmarkLeapfrog(b *testing.B) {
	for _, d := range append(densities(), density{"logistic 10000", 21, logistic(10000, 20)}) {
		b.Run(d.name, func(b *testing.B) {
			p, err := lower.Program([]lower.Entry{leapfrog(d)})
			if err != nil {
				b.Fatal(err)
			}
			x, err := host.Device{}.Load(p, device.Options{Lanes: 8, Threads: 1})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := x.Run([]device.Call{{Entry: "leapfrog", Times: 1}}, 0, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
