package multidevice

import (
	"errors"
	"slices"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
	"ppl/runtime/host"
)

func TestShares(t *testing.T) {
	for _, c := range []struct {
		lanes, devices int
		want           []int
	}{
		{1, 8, []int{1}},
		{11, 3, []int{4, 4, 3}},
		{28, 8, []int{4, 4, 4, 4, 4, 4, 4}},
		{100, 3, []int{64, 36}},
		{4096, 8, slices.Repeat([]int{512}, 8)},
		{0, 2, nil},
	} {
		if got := shares(c.lanes, c.devices, 1); !slices.Equal(got, c.want) {
			t.Errorf("%d lanes on %d devices: %v, want %v", c.lanes, c.devices, got, c.want)
		}
	}
}

// TestConformance checks that several devices conform as one does.
func TestConformance(t *testing.T) {
	devicetest.Run(t, func() device.Device { return Of(host.Device{}, host.Device{}, host.Device{}) })
}

// A failing device returns an error when it loads a program or, without atLoad, when it runs one.
type failing struct {
	host.Device
	closed *int
	atLoad bool
}

var errLost = errors.New("the device is lost")

func (f failing) Load(p *ir.Program, o device.Options) (device.Executable, error) {
	if f.atLoad {
		return nil, errLost
	}
	x, err := f.Device.Load(p, o)
	return lost{x, f.closed}, err
}

type lost struct {
	device.Executable
	closed *int
}

func (lost) Run([]device.Call, uint64, []bool) (uint64, error) { return 0, errLost }
func (x lost) Close() error                                    { *x.closed++; return x.Executable.Close() }

// TestFailures checks that an error of one device is returned, and that programs loaded on the other devices are
// closed.
func TestFailures(t *testing.T) {
	closed, p := 0, devicetest.Random(1)
	broken := failing{closed: &closed}
	x, err := Of(broken, broken).Load(p, device.Options{Lanes: 8})
	if err != nil {
		t.Fatal(err)
	}
	calls := []device.Call{{Entry: p.Entries[0].Name, Times: 1}}
	if _, err := x.Run(calls, 0, nil); !errors.Is(err, errLost) {
		t.Errorf("run: %v", err)
	}
	if err := x.Close(); err != nil || closed != 2 {
		t.Errorf("%d closed, %v", closed, err)
	}
	refuses := failing{atLoad: true}
	if _, err := Of(broken, refuses).Load(p, device.Options{Lanes: 8}); !errors.Is(err, errLost) || closed != 3 {
		t.Errorf("load: %v, %d closed", err, closed)
	}
}
