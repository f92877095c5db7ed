package host_test

import (
	"testing"

	"ppl/numbers"
	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
	"ppl/runtime/host"
)

func TestConformance(t *testing.T) {
	devicetest.Run(t, func() device.Device { return host.Device{} })
}

// TestRunAllocates checks that Run allocates nothing, since samplers call it for every trajectory.
func TestRunAllocates(t *testing.T) {
	for seed := range uint64(5) {
		p := devicetest.Random(seed)
		x, err := host.Device{}.Load(p, device.Options{Lanes: 9, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		calls, mask := []device.Call{{Entry: "run", Times: 1}}, make([]bool, 9)
		mask[0], mask[8] = true, true
		step := func() {
			if _, err := x.Run(calls, 0, mask); err != nil {
				t.Fatal(err)
			}
		}
		step()
		if n := testing.AllocsPerRun(3, step); n > 0 {
			t.Errorf("program %d: %v allocations a run", seed, n)
		}
	}
}

func TestLoadRefusesBrokenPrograms(t *testing.T) {
	p := devicetest.Random(1)
	p.Entries[0].Body = p.Entries[0].Body[1:]
	p.Buffers[0].Init = numbers.List{}
	if _, err := (host.Device{}).Load(p, device.Options{Lanes: 1}); err == nil {
		t.Error("loaded a program that reads what is never written")
	}
}

// FuzzAgainstReference compares random programs with the reference, with other numbers of lanes and threads than the
// suite.
func FuzzAgainstReference(f *testing.F) {
	f.Add(uint64(1000), uint8(5), uint8(2))
	f.Fuzz(func(t *testing.T, seed uint64, lanes, threads uint8) {
		o := device.Options{Lanes: 1 + int(lanes%20), Threads: 1 + int(threads%4), Seed: seed}
		devicetest.Agree(t, host.Device{}, devicetest.Reference{}, devicetest.Random(seed), o, 1e-11)
	})
}
