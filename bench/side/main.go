// Command side runs ppl's side of a comparison with another program. `side MODEL density|step` loads a model of package
// bench on the native device. For each number N in its input, it runs the entry N times for all lanes, and prints the
// processor time in seconds. Step is the step of RENHD, or for a network that of SGNHT in single precision. `side -data
// DIR` writes the data of the models as JSON.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"

	"ppl/bench"
	"ppl/compiler"
	"ppl/runtime/device"
	"ppl/runtime/native"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "side:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) != 2:
		return errors.New("usage: side MODEL density|step, or side -data DIR")
	case args[0] == "-data":
		return writeData(args[1])
	}
	for _, c := range bench.Cases() {
		if c.Name == args[0] {
			target, err := c.Load()
			if err != nil {
				return err
			}
			x, err := load(target, args[1])
			if err != nil {
				return err
			}
			return serve(x, args[1])
		}
	}
	for _, n := range bench.Networks() {
		if n.Name == args[0] {
			x, err := loadNetwork(n)
			if err != nil {
				return err
			}
			return serve(x, "step")
		}
	}
	return fmt.Errorf("no model %q", args[0])
}

func writeData(dir string) error {
	for _, c := range bench.Cases() {
		text, err := json.Marshal(c.PeerData())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, c.Name+".json"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// serve times the entry for each number in the input.
func serve(x device.Executable, entry string) error {
	defer x.Close()
	runtime.LockOSThread()
	var step uint64
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		n, err := strconv.Atoi(in.Text())
		if err != nil {
			return err
		}
		start := busy()
		if step, err = x.Run([]device.Call{{Entry: entry, Times: n}}, step, nil); err != nil {
			return err
		}
		fmt.Println(busy() - start)
	}
	return nil
}

func loadNetwork(n bench.Network) (device.Executable, error) {
	d, err := native.New()
	if err != nil {
		return nil, err
	}
	target, err := n.Load()
	if err != nil {
		return nil, err
	}
	p, err := bench.NetworkStep(target)
	if err != nil {
		return nil, err
	}
	x, err := d.Load(p, device.Options{Lanes: n.Lanes, Threads: 1, Seed: 1})
	if err != nil {
		return nil, err
	}
	n.Start(x, target)
	return x, nil
}

func load(target *compiler.Program, entry string) (device.Executable, error) {
	d, err := native.New()
	if err != nil {
		return nil, err
	}
	p, err := bench.Density(target)
	if entry == "step" {
		p, err = bench.Step(target)
	}
	if err != nil {
		return nil, err
	}
	x, err := d.Load(p, device.Options{Lanes: bench.Lanes, Threads: 1, Seed: 1})
	if err != nil {
		return nil, err
	}
	for l := range bench.Lanes {
		x.SetLane("theta", l, target.Start(1, l))
		if entry == "step" {
			bench.Rung(x, l, target.Dim())
		}
	}
	return x, nil
}

// busy returns the processor time of this thread in seconds.
func busy() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return float64(t.Nano()) / 1e9
}
