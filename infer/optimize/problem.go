package optimize

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/runtime/device"
)

// A problem is a target on a device, with one point on each lane.
type problem struct {
	ctx       context.Context
	target    infer.Target
	options   Options
	exe       device.Executable
	dim       int
	lanes     int    // number of points evaluated at once
	network   bool   // whether the target is treated as a network
	random    string // the first random operation in minibatches, such as dropout; "" if there is none
	rows      int    // number of rows of the data, with minibatches
	clock     uint64
	gradients int64
	known     []known // for a network: points at which all rows have been evaluated
}

// A known is a point whose density has been stored.
type known struct {
	theta []float64
	point point
}

// Names of lane buffers.
const (
	theta    = "theta"
	gradient = "gradient"
	density  = "density" // log ρ, log ℓ
	values   = "values"
	key      = "key"   // key of the order of a lane's rows and of its noise: the lane's number
	batches  = "clock" // number of batches so far
	part     = "part"  // part of the held-out rows, or of all rows
	score    = "score" // Σ log ℓ of the rows of a part
)

// Names of entries.
const (
	exact     = "evaluate" // density and gradient, for a part of the rows if there are too many for one evaluation
	minibatch = "minibatch"
	heldOut   = "held_out"
)

// fewestLanes is the minimum number of points evaluated at once, except for networks.
const fewestLanes = 16

// open loads the program. values is the target that defines the saved values of a point.
func open(ctx context.Context, t, values infer.Target, o Options) (*problem, error) {
	if err := infer.NeedAll(t, "finding a mode"); err != nil {
		return nil, err
	}
	p := &problem{ctx: ctx, target: t, options: o, dim: t.Dim(), lanes: max(fewestLanes, o.Starts),
		network: infer.NetworkBlocks(t, o.Batch) != nil}
	if p.network {
		p.lanes = o.Starts
	}
	entries := []lower.Entry{valuesEntry(values)}
	if m := methodNamed(o.Method); m.step != nil {
		entries = append(entries, p.moveEntry(m))
	}
	if o.Batch > 0 {
		more, err := p.rowEntries(t.(infer.Splittable))
		if err != nil {
			return nil, err
		}
		entries = append(entries, more...)
	}
	if !p.network {
		entries = append(entries, p.exactEntry())
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

// rowEntries returns the entries for minibatches and, with early stopping, for the held-out rows. Networks are computed
// in single precision, as in samplers. Their intermediate results for all rows may not fit into memory, so the density
// of all rows is computed in parts.
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
	if p.network {
		entries = append(entries, p.partEntry(p.inPrecision(t)))
	}
	return entries, nil
}

func (p *problem) inPrecision(t infer.Splittable) infer.Splittable {
	if p.network {
		return infer.InPrecision(t, 32).(infer.Splittable)
	}
	return t
}

// trained returns the target whose gradients are used. If t has random operations for training, such as dropout, they
// are included and differ between minibatches.
func (p *problem) trained(t infer.Splittable) infer.Splittable {
	if d, ok := t.(infer.Trained); ok && d.Random() != "" {
		p.random = d.Random()
		return training{d}
	}
	return t
}

// training is a target whose Split has the random operations of training.
type training struct{ infer.Trained }

func (d training) Split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	g := theta.Graph()
	return d.SplitTraining(theta, rows, g.Input(key), g.Input(batches))
}

// heldOut returns the number of rows that are not used for training.
func (p *problem) heldOut() int {
	if p.options.StopAfter == 0 {
		return 0
	}
	return infer.HeldOut(p.rows)
}

// batch returns the number of rows of a minibatch.
func (p *problem) batch() int { return min(p.options.Batch, p.rows-p.heldOut()) }

// epoch returns the number of minibatches that cover the training rows.
func (p *problem) epoch() int { return (p.rows - p.heldOut() + p.batch() - 1) / p.batch() }

// entry returns the entry that evaluates points during the search.
func (p *problem) entry() string {
	if p.options.Batch > 0 {
		return minibatch
	}
	return exact
}

// minibatchEntry is exactEntry with log ℓ estimated from the next rows. These are drawn without replacement within an
// epoch, from a separate permutation for each lane (its key); batches counts the position in it.
func (p *problem) minibatchEntry(t infer.Splittable) lower.Entry {
	g, m, held := autodiff.New(), p.batch(), p.heldOut()
	at, clock := g.Input(theta, p.dim), g.Input(batches)
	positions := autodiff.Add(autodiff.Mul(clock, g.Const(float64(m))), g.Iota(m))
	rows := g.Shuffle(p.rows-held, g.Input(key), positions)
	if held > 0 {
		rows = p.inSharedOrder(autodiff.Add(rows, g.Const(float64(held))))
	}
	logPrior, whole, terms := t.Split(at, rows)
	logLik := autodiff.Add(whole, autodiff.Mul(g.Const(float64(p.rows)/float64(m)), autodiff.SumAll(terms)))
	return lower.Entry{Name: minibatch, Assign: append(densityAt(at, logPrior, logLik),
		lower.Assign{Name: batches, Value: autodiff.Add(clock, g.Const(1))})}
}

// keyOfOrder is the key of the order that determines the held-out rows. Keys of lanes are their numbers.
const keyOfOrder = 1 << 31

// inSharedOrder returns the rows at positions in an order that is the same for all lanes; held-out rows come first.
func (p *problem) inSharedOrder(positions autodiff.Node) autodiff.Node {
	g := positions.Graph()
	return g.Shuffle(p.rows, g.Const(keyOfOrder), positions)
}

// heldOutEntry returns the entry that sums log ℓ over a part of the held-out rows.
func (p *problem) heldOutEntry(t infer.Splittable) lower.Entry {
	g := autodiff.New()
	at, last := p.positions(g, p.heldOut())
	_, _, terms := t.Split(g.Input(theta, p.dim), p.inSharedOrder(autodiff.Minimum(at, last)))
	return lower.Entry{Name: heldOut, Assign: []lower.Assign{{Name: score, Value: upTo(last, at, terms)}}}
}

// partEntry is exactEntry for a part of the rows. Terms that do not belong to rows are added in the first part.
func (p *problem) partEntry(t infer.Splittable) lower.Entry {
	g := autodiff.New()
	theta := g.Input(theta, p.dim)
	at, last := p.positions(g, p.rows)
	logPrior, whole, terms := t.Split(theta, autodiff.Minimum(at, last))
	first := func(x autodiff.Node) autodiff.Node {
		return autodiff.Where(autodiff.Le(g.Input(part), g.Const(0)), x, g.Const(0))
	}
	logLik := autodiff.Add(first(whole), upTo(last, at, terms))
	return lower.Entry{Name: exact, Assign: densityAt(theta, first(logPrior), logLik)}
}

// positions returns the positions of a part of n rows, and the last valid position, which some positions of the last
// part exceed.
func (p *problem) positions(g *autodiff.Graph, n int) (at, last autodiff.Node) {
	m := p.batch()
	first := autodiff.Broadcast(autodiff.Mul(g.Input(part), g.Const(float64(m))), []int{m}, nil)
	return autodiff.Add(first, g.Iota(m)), g.Full(float64(n-1), m)
}

// upTo returns the sum of the terms at positions up to the last.
func upTo(last, at, terms autodiff.Node) autodiff.Node {
	none := at.Graph().Full(0, at.Shape()...)
	return autodiff.SumAll(autodiff.Where(autodiff.Le(at, last), terms, none))
}

// eachPart runs an entry at points for each part of n rows, and calls read with the index and lane of each point.
func (p *problem) eachPart(entry string, n int, at [][]float64, read func(point, lane int)) error {
	for k := range (n + p.batch() - 1) / p.batch() {
		for lane := range p.lanes {
			p.exe.SetLane(part, lane, []float64{float64(k)})
		}
		point := 0
		err := p.each(entry, at, func(lane int) {
			read(point, lane)
			point++
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// heldOutScores returns the mean log ℓ of a held-out row, at each point.
func (p *problem) heldOutScores(at [][]float64) ([]float64, error) {
	sums := make([]float64, len(at))
	err := p.eachPart(heldOut, p.heldOut(), at, func(point, lane int) {
		sums[point] += p.lane(score, lane)[0] / float64(p.heldOut())
	})
	return sums, err
}

// setClock sets the number of minibatches that lanes have used.
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

// total returns the log density, or −∞ if it is NaN.
func (x point) total() float64 {
	if u := x.logPrior + x.logLik; !math.IsNaN(u) {
		return u
	}
	return math.Inf(-1)
}

// evaluate returns density and gradient at points. Results for a network are stored, since each takes as long as an
// epoch, and the ends of a search are evaluated several times.
func (p *problem) evaluate(at [][]float64) ([]point, error) {
	if !p.network {
		return p.look(exact, at)
	}
	var out []point
	for _, theta := range at {
		known := slices.IndexFunc(p.known, func(k known) bool { return slices.Equal(k.theta, theta) })
		if known < 0 {
			return p.addParts(at)
		}
		out = append(out, p.known[known].point)
	}
	return out, nil
}

// addParts is evaluate for a network: it adds up the results for all parts of the rows.
func (p *problem) addParts(at [][]float64) ([]point, error) {
	out := make([]point, len(at))
	for k := range out {
		out[k].gradient = make([]float64, p.dim)
	}
	err := p.eachPart(exact, p.rows, at, func(k, lane int) {
		x, sum := p.at(lane), &out[k]
		sum.logPrior, sum.logLik = sum.logPrior+x.logPrior, sum.logLik+x.logLik
		floats.Add(sum.gradient, x.gradient)
		p.gradients++
	})
	if err != nil {
		return nil, err
	}
	for k := range out {
		p.known = append(p.known, known{at[k], out[k]})
	}
	return out, nil
}

func (p *problem) look(entry string, at [][]float64) (out []point, err error) {
	err = p.each(entry, at, func(lane int) { out = append(out, p.at(lane)) })
	p.gradients += int64(len(out))
	return out, err
}

// at returns the results of an entry on a lane.
func (p *problem) at(lane int) point {
	both := p.lane(density, lane)
	return point{both[0], both[1], p.lane(gradient, lane)}
}

// lane returns the values of a buffer of a lane.
func (p *problem) lane(name string, lane int) []float64 {
	values := make([]float64, p.exe.Size(name))
	p.exe.GetLane(name, lane, values)
	return values
}

// values returns the saved values of a point.
func (p *problem) values(at []float64) ([]float64, error) {
	all, err := p.valuesAt([][]float64{at})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

func (p *problem) valuesAt(at [][]float64) (out [][]float64, err error) {
	err = p.each(values, at, func(lane int) { out = append(out, p.lane(values, lane)) })
	return out, err
}

// each runs an entry at points and calls read with the lane of each, in order.
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

// starts returns starting points at which density and gradient are finite.
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

// start returns a function that chooses starting points: those of the options, initial weights for a network, or the
// target's.
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
