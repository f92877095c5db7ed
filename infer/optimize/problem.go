package optimize

import (
	"context"
	"math"

	"ppl/autodiff"
	"ppl/compiler/lower"
	"ppl/infer"
	"ppl/runtime/device"
)

// A problem is a target on a device, a point on each lane.
type problem struct {
	ctx       context.Context
	target    infer.Target
	options   Options
	exe       device.Executable
	dim       int
	lanes     int    // how many points are evaluated at once
	network   bool   // the target is treated as one
	random    string // what is changed at random in its minibatches, such as dropout; "": nothing is
	rows      int    // of the data, where there are minibatches
	clock     uint64
	gradients int64
}

// Lane buffers.
const (
	theta    = "theta"
	gradient = "gradient"
	density  = "density" // log ρ, log ℓ
	values   = "values"
	key      = "key"   // of the order of a lane's rows and of its noise: the lane's number
	batches  = "clock" // how many batches there have been
	part     = "part"  // of the rows held out
	score    = "score" // Σ log ℓ of the rows of a part
)

// Entries.
const (
	exact     = "evaluate" // density and gradient
	minibatch = "minibatch"
	heldOut   = "held_out"
)

// fewestLanes is how many points are evaluated at once at least, where they are not large.
const fewestLanes = 16

// open loads the entries; what is saved of a point is the business of values.
func open(ctx context.Context, t, values infer.Target, o Options) (*problem, error) {
	if err := infer.NeedAll(t, "finding a mode"); err != nil {
		return nil, err
	}
	p := &problem{ctx: ctx, target: t, options: o, dim: t.Dim(), lanes: max(fewestLanes, o.Starts),
		network: infer.NetworkBlocks(t, o.Batch) != nil}
	if p.network {
		p.lanes = o.Starts
	}
	entries := []lower.Entry{p.exactEntry(), valuesEntry(values)}
	if o.Batch > 0 {
		more, err := p.rowEntries(t.(infer.Splittable))
		if err != nil {
			return nil, err
		}
		entries = append(entries, more...)
	}
	program, err := o.Device.Compile(entries)
	if err != nil {
		return nil, err
	}
	if p.exe, err = program.Load(device.Options{Lanes: p.lanes, Seed: o.Seed, Threads: o.Threads}); err != nil {
		return nil, err
	}
	for lane := range p.lanes {
		if o.Batch > 0 {
			p.exe.SetLane(key, lane, []float64{float64(lane)})
		}
	}
	return p, nil
}

func (p *problem) exactEntry() lower.Entry {
	at := autodiff.New().Input(theta, p.dim)
	logPrior, logLik := p.target.Density(at)
	return lower.Entry{Name: exact, Assign: densityAt(at, logPrior, logLik)}
}

func densityAt(at, logPrior, logLik autodiff.Node) []lower.Assign {
	both := autodiff.Concat(0, autodiff.Reshape(logPrior, 1), autodiff.Reshape(logLik, 1))
	return []lower.Assign{{Name: density, Value: both},
		{Name: gradient, Value: autodiff.Grad(autodiff.Add(logPrior, logLik), at)[0]}}
}

func valuesEntry(t infer.Target) lower.Entry {
	at := autodiff.New().Input(theta, t.Dim())
	return lower.Entry{Name: values, Assign: []lower.Assign{{Name: values, Value: t.Values(at)}}}
}

// rowEntries are those of minibatches and, for early stopping, of the rows held out. Networks are computed in single
// precision, as samplers compute them.
func (p *problem) rowEntries(t infer.Splittable) ([]lower.Entry, error) {
	n, err := t.Rows()
	if err != nil {
		return nil, err
	}
	p.rows = n
	entries := []lower.Entry{p.minibatchEntry(p.inPrecision(p.trained(t)))}
	if p.options.StopAfter > 0 {
		entries = append(entries, p.heldOutEntry(p.inPrecision(t)))
	}
	return entries, nil
}

func (p *problem) inPrecision(t infer.Splittable) infer.Splittable {
	if p.network {
		return infer.InPrecision(t, 32).(infer.Splittable)
	}
	return t
}

// trained is the target as gradients see it: changed at random, if it is, in each minibatch in another way.
func (p *problem) trained(t infer.Splittable) infer.Splittable {
	if d, ok := t.(infer.Trained); ok && d.Random() != "" {
		p.random = d.Random()
		return training{d}
	}
	return t
}

// A training target is split with what is changed at random.
type training struct{ infer.Trained }

func (d training) Split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	g := theta.Graph()
	return d.SplitTraining(theta, rows, g.Input(key), g.Input(batches))
}

// heldOut is how many rows are not learned from.
func (p *problem) heldOut() int {
	if p.options.StopAfter == 0 {
		return 0
	}
	return infer.HeldOut(p.rows)
}

// batch is how many rows a minibatch has.
func (p *problem) batch() int { return min(p.options.Batch, p.rows-p.heldOut()) }

// epoch is how many minibatches have the rows that are learned from.
func (p *problem) epoch() int { return (p.rows - p.heldOut() + p.batch() - 1) / p.batch() }

// entry evaluates points on the way.
func (p *problem) entry() string {
	if p.options.Batch > 0 {
		return minibatch
	}
	return exact
}

// minibatchEntry is exactEntry with log ℓ estimated from the next rows: drawn without replacement by epoch, from a
// permutation of each lane's own (its key), which batches counts through.
func (p *problem) minibatchEntry(t infer.Splittable) lower.Entry {
	g, m, held := autodiff.New(), p.batch(), p.heldOut()
	at, clock := g.Input(theta, p.dim), g.Input(batches)
	positions := autodiff.Add(autodiff.Mul(clock, g.Const(float64(m))), g.Iota(m))
	rows := g.Shuffle(p.rows-held, g.Input(key), positions)
	if held > 0 {
		rows = p.divided(autodiff.Add(rows, g.Const(float64(held))))
	}
	logPrior, whole, terms := t.Split(at, rows)
	logLik := autodiff.Add(whole, autodiff.Mul(g.Const(float64(p.rows)/float64(m)), autodiff.SumAll(terms)))
	return lower.Entry{Name: minibatch, Assign: append(densityAt(at, logPrior, logLik),
		lower.Assign{Name: batches, Value: autodiff.Add(clock, g.Const(1))})}
}

// keyOfOrder is that of the order which says what rows are held out; those of lanes are their numbers.
const keyOfOrder = 1 << 31

// divided are the rows at positions in an order that is the same for all lanes; those held out come first.
func (p *problem) divided(positions autodiff.Node) autodiff.Node {
	g := positions.Graph()
	return g.Shuffle(p.rows, g.Const(keyOfOrder), positions)
}

// heldOutEntry adds up log ℓ of a part of the rows held out. Beyond the last of them a part has nothing.
func (p *problem) heldOutEntry(t infer.Splittable) lower.Entry {
	g, m := autodiff.New(), p.batch()
	first := autodiff.Broadcast(autodiff.Mul(g.Input(part), g.Const(float64(m))), []int{m}, nil)
	at, last := autodiff.Add(first, g.Iota(m)), g.Full(float64(p.heldOut()-1), m)
	_, _, terms := t.Split(g.Input(theta, p.dim), p.divided(autodiff.Minimum(at, last)))
	sum := autodiff.SumAll(autodiff.Where(autodiff.Le(at, last), terms, g.Full(0, m)))
	return lower.Entry{Name: heldOut, Assign: []lower.Assign{{Name: score, Value: sum}}}
}

// heldOutScores are the mean log ℓ of a row that is held out, at points.
func (p *problem) heldOutScores(at [][]float64) ([]float64, error) {
	sums := make([]float64, len(at))
	for k := range (p.heldOut() + p.batch() - 1) / p.batch() {
		for lane := range p.lanes {
			p.exe.SetLane(part, lane, []float64{float64(k)})
		}
		point := 0
		err := p.each(heldOut, at, func(lane int) {
			sum := make([]float64, 1)
			p.exe.GetLane(score, lane, sum)
			sums[point] += sum[0] / float64(p.heldOut())
			point++
		})
		if err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// setClock makes lanes go on after a number of minibatches.
func (p *problem) setClock(n int) {
	for lane := range p.lanes {
		if p.options.Batch > 0 {
			p.exe.SetLane(batches, lane, []float64{float64(n)})
		}
	}
}

func (p *problem) close() { _ = p.exe.Close() }

// A point is a density with its gradient.
type point struct {
	logPrior, logLik float64
	gradient         []float64
}

// total is the log density; −∞ where it is not a number.
func (x point) total() float64 {
	if u := x.logPrior + x.logLik; !math.IsNaN(u) {
		return u
	}
	return math.Inf(-1)
}

// evaluate gives density and gradient at points.
func (p *problem) evaluate(at [][]float64) ([]point, error) { return p.look(exact, at) }

func (p *problem) look(entry string, at [][]float64) ([]point, error) {
	var out []point
	err := p.each(entry, at, func(lane int) {
		both, slope := make([]float64, 2), make([]float64, p.dim)
		p.exe.GetLane(density, lane, both)
		p.exe.GetLane(gradient, lane, slope)
		out = append(out, point{both[0], both[1], slope})
	})
	p.gradients += int64(len(out))
	return out, err
}

// values are what the target saves at a point.
func (p *problem) values(at []float64) ([]float64, error) {
	all, err := p.valuesAt([][]float64{at})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

func (p *problem) valuesAt(at [][]float64) (out [][]float64, err error) {
	err = p.each("values", at, func(lane int) {
		v := make([]float64, p.exe.Size(values))
		p.exe.GetLane(values, lane, v)
		out = append(out, v)
	})
	return out, err
}

// each runs an entry at points and calls read for the lane of each, in order.
func (p *problem) each(entry string, at [][]float64, read func(lane int)) error {
	for ; len(at) > 0; at = at[min(p.lanes, len(at)):] {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		n, mask := min(p.lanes, len(at)), make([]bool, p.lanes)
		for lane := range n {
			p.exe.SetLane(theta, lane, at[lane])
			mask[lane] = true
		}
		next, err := p.exe.Run([]device.Call{{Entry: entry, Times: 1}}, p.clock, mask)
		if err != nil {
			return err
		}
		p.clock = next
		for lane := range n {
			read(lane)
		}
	}
	return nil
}

// starts are points where density and gradient are finite.
func (p *problem) starts(o Options) (out [][]float64, err error) {
	err = infer.Disperse(o.Starts, p.start(), func(at [][]float64) (bad []int, err error) {
		out = at
		xs, err := p.look(p.entry(), at)
		for k, x := range xs {
			if math.IsInf(x.total(), 0) || !finite(x.gradient) {
				bad = append(bad, k)
			}
		}
		return bad, err
	})
	return out, err
}

// start chooses points to begin at: those of the options, weights as networks need them, or what the target chooses.
func (p *problem) start() func(k int) []float64 {
	o := p.options
	switch {
	case o.Start != nil:
		return o.Start
	case p.network:
		return infer.InitialWeights(p.target, infer.NetworkBlocks(p.target, o.Batch), o.Weights, o.Seed)
	}
	return func(k int) []float64 { return p.target.Start(o.Seed, k) }
}

func finite(xs []float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
