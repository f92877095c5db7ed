package lab

import (
	"fmt"
	"strconv"
)

// A Spent is the cost of a run after its start and warmup, estimated by the difference from a short run. If draws need
// no gradients, it is the entire cost.
type Spent struct {
	Gradients float64
	CPU       float64 // processor time in seconds
}

// Price returns the processor time per gradient in nanoseconds.
func (s Spent) Price() float64 { return 1e9 * s.CPU / s.Gradients }

// A pace is the cost of a sampler on a model, estimated from short runs.
type pace struct {
	start Spent   // cost of a run with few draws
	each  float64 // gradients per draw, of all chains together
}

// SampleFor samples until about the given number of gradients are used after warmup. A sampler whose draws need no
// gradients makes 5,000 draws.
func (b *Bench) SampleFor(gradients float64, model string, seed int, args ...string) (*Run, Spent, error) {
	p, err := b.pace(model, seed, args)
	if err != nil {
		return nil, Spent{}, err
	}
	draws := 5000
	if p.each > 0 {
		draws = max(int(gradients/p.each), 100)
	} else {
		p.start = Spent{}
	}
	r, err := b.Sample(model, seed, with(args, draws)...)
	if err != nil {
		return nil, Spent{}, err
	}
	return r, Spent{float64(r.Gradients) - p.start.Gradients, r.CPU.Seconds() - p.start.CPU}, nil
}

// Price returns the processor time per gradient in nanoseconds, from the difference of two runs.
func (b *Bench) Price(gradients float64, model string, args ...string) (float64, error) {
	r, spent, err := b.SampleFor(gradients, model, 1, args...)
	if err != nil {
		return 0, err
	}
	return spent.Price(), r.Discard()
}

// pace returns the pace of a sampler, and caches it. Its two short runs have the seed of the long run, so that warmup
// makes the same decisions.
func (b *Bench) pace(model string, seed int, args []string) (pace, error) {
	key := fmt.Sprint(model, seed, args)
	if p, ok := b.paces[key]; ok {
		return p, nil
	}
	const few, more = 20, 120
	var gradients [2]float64
	var p pace
	for i, n := range []int{more, few} {
		r, err := b.Sample(model, seed, with(args, n)...)
		if err != nil {
			return pace{}, err
		}
		gradients[i], p.start = float64(r.Gradients), Spent{float64(r.Gradients), r.CPU.Seconds()}
		if err := r.Discard(); err != nil {
			return pace{}, err
		}
	}
	p.each = (gradients[0] - gradients[1]) / (more - few)
	b.paces[key] = p
	return p, nil
}

// with returns a copy of the arguments with a number of draws.
func with(args []string, draws int) []string {
	return append(append([]string{}, args...), "--draws", strconv.Itoa(draws))
}
