package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	gradients "ppl/bench"
	"ppl/compiler"
	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
	"ppl/runtime/native"
)

// growing maps a model to a function that returns its data for a number of parameters.
func growing() map[string]func(parameters int) map[string]any {
	return map[string]func(int) map[string]any{
		"hierarchy":  func(n int) map[string]any { return hierarchy(n - 3) },
		"volatility": func(n int) map[string]any { return volatility(n - 3) },
	}
}

// A gradientCost is the cost of a gradient of the log density.
type gradientCost struct {
	Model      string
	Parameters int
	Seconds    float64 // processor time per lane
	Bytes      float64 // size of the program's buffers
}

// growth times gradients for increasing numbers of parameters, and writes the results to a file.
func (b *bench) growth() error {
	var costs []gradientCost
	for _, model := range []string{"hierarchy", "volatility"} {
		for _, n := range []int{100, 1000, 10_000, 100_000} {
			c, err := b.gradientCost(model, n)
			if err != nil {
				return fmt.Errorf("%s with %d parameters: %w", model, n, err)
			}
			fmt.Printf("%-12s%7d  %.3g µs, %.3g MB\n", model, n, 1e6*c.Seconds, c.Bytes/1e6)
			costs = append(costs, c)
		}
	}
	text, err := json.Marshal(costs)
	if err != nil {
		return err
	}
	return os.WriteFile(b.growthFile(), text, 0o644)
}

func (b *bench) growthFile() string { return filepath.Join(b.work, "growth.json") }

// gradientCost compiles a model with the given number of parameters, and times its gradient on one thread.
func (b *bench) gradientCost(model string, parameters int) (c gradientCost, err error) {
	data := filepath.Join(b.work, "growth.data.json")
	text, err := json.Marshal(growing()[model](parameters))
	if err == nil {
		err = os.WriteFile(data, text, 0o644)
	}
	if err != nil {
		return c, err
	}
	defer os.Remove(data)
	path := filepath.Join("bench", "whole", "models", model+".ppl")
	target, ds := compiler.Load(compiler.Request{Path: path, Data: []compiler.DataArg{{Path: data}}})
	if target == nil {
		return c, fmt.Errorf("%v", ds)
	}
	program, err := gradients.Density(target)
	if err != nil {
		return c, err
	}
	d, err := native.New()
	if err != nil {
		return c, err
	}
	x, err := d.Load(program, device.Options{Lanes: gradients.Lanes, Threads: 1, Seed: 1})
	if err != nil {
		return c, err
	}
	defer x.Close()
	for lane := range gradients.Lanes {
		x.SetLane("theta", lane, filled(parameters, func(i int) float64 { return 0.1 * math.Sin(float64(i+lane)) }))
	}
	seconds, err := leastTime(x)
	return gradientCost{model, parameters, seconds / gradients.Lanes, bytesOf(program)}, err
}

// leastTime returns the processor time of the entry density: the minimum of several measurements.
func leastTime(x device.Executable) (seconds float64, err error) {
	const measurements, long = 21, 0.02
	seconds = math.Inf(1)
	for times, done := 1, 0; done < measurements && err == nil; {
		start := processorTime()
		_, err = x.Run([]device.Call{{Entry: "density", Times: times}}, 0, nil)
		took := processorTime() - start
		if took < long {
			times *= 2
			continue
		}
		seconds = min(seconds, took/float64(times))
		done++
	}
	return seconds, err
}

// processorTime returns the processor time of this process in seconds.
func processorTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // fails only for a bad address
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// bytesOf returns the size of a program's buffers. Shared buffers count once, the others once per lane.
func bytesOf(p *ir.Program) (sum float64) {
	for _, b := range p.Buffers {
		n := float64(b.Size * b.Type.Bytes())
		if b.Space != ir.Shared {
			n *= gradients.Lanes
		}
		sum += n
	}
	return sum
}

const growthHead = `
## Growth

A gradient of the log density: processor time for one of eight lanes on one thread, the least of 21 measurements of at least 20 ms.
*Against linear* is the time per parameter relative to that with 100 parameters. *Memory* is that of the program's buffers for eight
lanes, with the data. Models have as many rows as parameters (volatility) or five times as many (hierarchy).

| model | parameters | gradient | against linear | memory |
|---|---|---|---|---|
`

// growthTable returns the table of the results of growth, or "" if growth has not run.
func (b *bench) growthTable() (string, error) {
	text, err := os.ReadFile(b.growthFile())
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	var costs []gradientCost
	if err == nil {
		err = json.Unmarshal(text, &costs)
	}
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString(growthHead)
	each := func(c gradientCost) float64 { return c.Seconds / float64(c.Parameters) }
	var first gradientCost
	for _, c := range costs {
		if c.Model != first.Model {
			first = c
		}
		fmt.Fprintf(&out, "| %s | %d | %s µs | %.2f | %s MB |\n", c.Model, c.Parameters, digits(1e6*c.Seconds),
			each(c)/each(first), digits(c.Bytes/1e6))
	}
	return out.String(), nil
}
