package app

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/compiler/datasets/dataset"
	"ppl/infer/adapt"
	"ppl/lang/types"
	"ppl/numbers"
	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/runtime/device"
)

// Trajectories that diverge say that a sampler does not get everywhere, and their places say where: towards an end of a
// parameter, such as a common scale of groups near 0. There the mass of the posterior is compared with the draws.

const (
	leastToLook  = 400     // draws of all chains
	mostLooked   = 1 << 20 // numbers: of a longer run some draws are looked at, evenly spread
	mostOutlooks = 4       // ends that are looked at
	endOfDraws   = 0.1     // share of the draws that are an end of them
	byChance     = 0.005   // probability below which divergences at an end are not an accident
	lanesOfLook  = 32      // points that are evaluated together
	densityError = 0.05    // relative, of a share by the density
)

// endsLooked returns the shares of the draws that are beyond the limits of an outlook: from the outermost draw inwards.
func endsLooked() []float64 { return []float64{0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1} }

// lookOut estimates how much of the posterior draws lack where trajectories have diverged, and adds it to the report.
func (run *attempt) lookOut(ctx context.Context) error {
	stored, err := run.dir.Open()
	if err != nil || !run.canLookOut(stored) {
		return err
	}
	some, _ := stored.Within(mostLooked / max(1, TotalSize(ParametersOf(run.program))))
	d, err := newDrawsByCoordinate(run, some)
	if err != nil {
		return err
	}
	ends := d.ends()
	if len(ends) == 0 {
		return nil
	}
	density, err := loadSlopes(run)
	if err != nil {
		return err
	}
	defer density.exe.Close()
	var all []store.Outlook
	for _, e := range ends {
		o, found, err := d.outlook(ctx, e, density)
		if err != nil {
			return err
		}
		if found {
			all = append(all, o)
		}
	}
	return store.SetOutlooks(run.dir.Disk, run.dir.Path, all)
}

// hasUnaided reports whether there are groups whose scale has no coordinates that follow it.
func (run *attempt) hasUnaided() bool {
	_, unaided := run.program.Spreading()
	for _, is := range unaided {
		if is {
			return true
		}
	}
	return false
}

// canLookOut reports whether a run has enough draws, and a density whose curvature can be taken.
func (run *attempt) canLookOut(stored *store.Run) bool {
	r := stored.Info.Report
	return stored.HasStat("diverging") && r.Batch == 0 && len(r.Weights) == 0 &&
		run.program.Streams() == 0 && stored.Layout.Chains*stored.Info.Draws >= leastToLook &&
		run.program.Dim() <= adapt.MostIntegrated && len(stored.Info.Keep) == 0
}

// drawsByCoordinate are the draws of parameters, with the trajectories that diverged.
type drawsByCoordinate struct {
	run         *attempt
	coordinates []types.Coordinate
	parameters  []types.Variable
	chains      map[string][][]float64 // by chain, the draws of a variable laid end to end
	diverged    [][]bool
	divergences int
}

func newDrawsByCoordinate(run *attempt, stored *store.Run) (*drawsByCoordinate, error) {
	d := &drawsByCoordinate{run: run, coordinates: run.program.Coordinates(), parameters: ParametersOf(run.program),
		chains: map[string][][]float64{}, diverged: make([][]bool, stored.Layout.Chains)}
	for _, v := range d.parameters {
		xs, err := stored.Draws(v.Name)
		if err != nil {
			return nil, err
		}
		d.chains[v.Name] = xs
	}
	err := stored.Each(store.SamplerStats, "diverging", func(chain, _ int, draws []float64) {
		for _, x := range draws {
			d.diverged[chain] = append(d.diverged[chain], x != 0)
			if x != 0 {
				d.divergences++
			}
		}
	})
	return d, err
}

// element returns the draws of what a coordinate moves, by chain; nil if it moves more than one number.
func (d *drawsByCoordinate) element(coordinate int) (chains [][]float64) {
	name := d.coordinates[coordinate].Parameter
	for _, v := range d.parameters {
		for i := range v.Size() {
			if v.Element(i) != name {
				continue
			}
			for c, all := range d.chains[v.Name] {
				var xs []float64
				for at := i; at < len(all) && len(xs) < len(d.diverged[c]); at += v.Size() {
					xs = append(xs, all[at])
				}
				chains = append(chains, xs)
			}
			return chains
		}
	}
	return nil
}

// An endOf is an end of the draws of a coordinate.
type endOf struct {
	coordinate int
	up         bool
	chains     [][]float64
	chance     float64 // of as many divergences there by accident
}

// ends returns the ends where divergences gather, and the lower ends of scales of other parameters, the least likely
// first. A scale of groups without separate coordinates is looked at even if nothing diverges: trajectories may be
// short enough, and yet not get to where it is small.
func (d *drawsByCoordinate) ends() (all []endOf) {
	spreading, unaided := d.run.program.Spreading()
	for j, c := range d.coordinates {
		scale := unaided[j] || d.divergences > 0 && slices.Contains(spreading, j)
		if !scale && !c.Bounded() {
			continue
		}
		chains := d.element(j)
		if chains == nil {
			continue
		}
		for _, up := range []bool{false, true} {
			e := endOf{j, up, chains, d.chance(chains, up)}
			if e.chance < byChance || scale && c.Lower && !up {
				all = append(all, e)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b endOf) int { return cmp.Compare(a.chance, b.chance) })
	return all[:min(len(all), mostOutlooks)]
}

// chance returns the probability that as many divergences are at an end if they are anywhere.
func (d *drawsByCoordinate) chance(chains [][]float64, up bool) float64 {
	if d.divergences == 0 {
		return 1
	}
	all := slices.Concat(chains...)
	slices.Sort(all)
	p := endOfDraws
	if up {
		p = 1 - endOfDraws
	}
	limit, there := stats.SortedQuantile(all, p), 0
	for c, xs := range chains {
		for i, x := range xs {
			if d.diverged[c][i] && (up && x >= limit || !up && x <= limit) {
				there++
			}
		}
	}
	if there == 0 {
		return 1
	}
	return 1 - distuv.Binomial{N: float64(d.divergences), P: endOfDraws}.CDF(float64(there-1))
}

// outlook compares draws and density beyond the limits at an end, and gives the limit where most is missing.
func (d *drawsByCoordinate) outlook(ctx context.Context, e endOf, density *slopes) (worst store.Outlook, ok bool,
	err error) {
	o, values, err := d.towards(e)
	if err != nil || o == nil {
		return worst, false, err
	}
	shares, ok, err := o.Shares(func(at [][]float64) ([]float64, [][]float64, error) { return density.at(ctx, at) })
	if err != nil || !ok {
		return worst, false, err
	}
	size := math.Inf(1) // the least effective one: few draws beyond a limit do not show how they are correlated
	for k, value := range values {
		beyond := indicators(e.chains, func(x float64) bool { return e.isBeyond(x, value) })
		if n := stats.ESSMean(beyond); n < size {
			size = n
		}
		// Of what is on this side of the middle, what is not beyond the limit is taken to be drawn right.
		drawn := meanOf(beyond)
		expected := (0.5 - drawn) * shares[k] / (1 - shares[k])
		expected /= expected + 1 - drawn
		at := store.Outlook{Parameter: d.coordinates[e.coordinate].Parameter, Above: e.up, Value: value, Drawn: drawn,
			Expected: expected, Error: math.Hypot(math.Sqrt(expected*(1-expected)/size), densityError*expected)}
		if k == 0 || at.Missing() > worst.Missing() {
			worst = at
		}
	}
	return worst, true, nil
}

func (e endOf) isBeyond(x, value float64) bool { return e.up && x > value || !e.up && x < value }

// towards returns the outlook from a middle draw, with the limits also as values of the parameter; nil where draws are
// too much alike.
func (d *drawsByCoordinate) towards(e endOf) (o *adapt.Outlook, values []float64, err error) {
	type draw struct {
		value    float64
		chain, i int
	}
	var all []draw
	for c, xs := range e.chains {
		for i, x := range xs {
			all = append(all, draw{x, c, i})
		}
	}
	slices.SortStableFunc(all, func(a, b draw) int {
		if e.up {
			a, b = b, a
		}
		return cmp.Compare(a.value, b.value)
	})
	pointAt := d.run.program.PointsAt()
	var from []float64
	for _, at := range all[len(all)/2:] { // a draw that rounding has put on the end of an interval is not a point
		if from, err = pointAt(d.valuesAt(at.chain, at.i)); err == nil {
			break
		}
	}
	if err != nil {
		return nil, nil, nil
	}
	o = &adapt.Outlook{Coordinate: e.coordinate, Up: e.up, From: from}
	ends := endsLooked()
	slices.Reverse(ends)
	for _, share := range ends {
		at := all[int(share*float64(len(all)))]
		x, err := pointAt(d.valuesAt(at.chain, at.i))
		if err != nil {
			continue
		}
		if limit := x[e.coordinate]; limit != from[e.coordinate] && !math.IsInf(limit, 0) &&
			(len(o.Limits) == 0 || limit != o.Limits[len(o.Limits)-1]) {
			o.Limits, values = append(o.Limits, limit), append(values, at.value)
		}
	}
	if len(values) == 0 {
		return nil, nil, nil
	}
	return o, values, nil
}

// valuesAt returns the parameters at a draw.
func (d *drawsByCoordinate) valuesAt(chain, draw int) map[string]dataset.Array {
	at := map[string]dataset.Array{}
	for _, v := range d.parameters {
		size := v.Size()
		at[v.Name] = dataset.Array{Shape: v.Shape,
			Values: numbers.Of(slices.Clone(d.chains[v.Name][chain][draw*size : (draw+1)*size])...)}
	}
	return at
}

func indicators(chains [][]float64, is func(x float64) bool) (out [][]float64) {
	for _, xs := range chains {
		ys := make([]float64, len(xs))
		for i, x := range xs {
			if is(x) {
				ys[i] = 1
			}
		}
		out = append(out, ys)
	}
	return out
}

func meanOf(chains [][]float64) float64 {
	sum, n := 0.0, 0
	for _, xs := range chains {
		for _, x := range xs {
			sum += x
		}
		n += len(xs)
	}
	return sum / float64(n)
}

// slopes evaluates the log density of a model and its gradient on a device.
type slopes struct {
	exe device.Executable
	dim int
}

func loadSlopes(run *attempt) (*slopes, error) {
	theta := autodiff.New().Input("theta", run.program.Dim())
	prior, likelihood := run.program.Density(theta)
	sum := autodiff.Add(prior, likelihood)
	program, err := run.options.Device.Compile([]lower.Entry{{Name: "slopes", Assign: []lower.Assign{
		{Name: "density", Value: sum}, {Name: "gradient", Value: autodiff.Grad(sum, theta)[0]}}}})
	if err != nil {
		return nil, err
	}
	exe, err := program.Load(device.Options{Lanes: lanesOfLook, Threads: run.options.Threads})
	if err != nil {
		return nil, err
	}
	return &slopes{exe, run.program.Dim()}, nil
}

func (s *slopes) at(ctx context.Context, points [][]float64) (density []float64, gradient [][]float64, err error) {
	for ; len(points) > 0; points = points[min(lanesOfLook, len(points)):] {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		n, mask := min(lanesOfLook, len(points)), make([]bool, lanesOfLook)
		for lane := range n {
			s.exe.SetLane("theta", lane, points[lane])
			mask[lane] = true
		}
		if _, err := s.exe.Run([]device.Call{{Entry: "slopes", Times: 1}}, 0, mask); err != nil {
			return nil, nil, err
		}
		for lane := range n {
			one, slope := make([]float64, 1), make([]float64, s.dim)
			s.exe.GetLane("density", lane, one)
			s.exe.GetLane("gradient", lane, slope)
			density, gradient = append(density, one[0]), append(gradient, slope)
		}
	}
	return density, gradient, nil
}
