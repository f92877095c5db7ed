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

// If trajectories diverge, a sampler may miss part of the posterior. The places of divergences show where: near a bound
// of a parameter, such as 0 for the common scale of groups. This file compares the mass of the posterior beyond such
// places with the share of the draws there.

const (
	leastToLook  = 400     // minimum number of draws, of all chains
	mostLooked   = 1 << 20 // maximum number of values read; a longer run is thinned evenly
	mostOutlooks = 4       // maximum number of ends examined
	endOfDraws   = 0.1     // share of the draws that counts as an end
	byChance     = 0.005   // if a pattern of divergences is less probable by chance, the end is examined
	lanesOfLook  = 32      // number of points evaluated together
	densityError = 0.05    // relative error of a share computed from the density
)

// endsLooked returns the shares of the draws beyond the limits of an outlook, from the outermost draw inwards.
func endsLooked() []float64 { return []float64{0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1} }

// lookOut estimates how much of the posterior the draws lack near divergences, and adds this to the report.
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

// hasUnaided reports whether some groups have a scale without coordinates that adapt to it.
func (run *attempt) hasUnaided() bool {
	_, unaided := run.program.Spreading()
	for _, is := range unaided {
		if is {
			return true
		}
	}
	return false
}

// canLookOut reports whether a run has enough draws, and a density whose curvature can be computed.
func (run *attempt) canLookOut(stored *store.Run) bool {
	r := stored.Info.Report
	return stored.HasStat("diverging") && r.Batch == 0 && len(r.Weights) == 0 &&
		run.program.Streams() == 0 && stored.Layout.Chains*stored.Info.Draws >= leastToLook &&
		run.program.Dim() <= adapt.MostIntegrated && len(stored.Info.Keep) == 0
}

// drawsByCoordinate holds the draws of the parameters, and which trajectories diverged.
type drawsByCoordinate struct {
	run         *attempt
	coordinates []types.Coordinate
	parameters  []types.Variable
	chains      map[string][][]float64 // by variable and chain, with the draws of a chain concatenated
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

// element returns the draws, by chain, of the element that a coordinate determines, or nil if it determines several.
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

// An endOf is one end of the draws of a coordinate.
type endOf struct {
	coordinate int
	up         bool
	chains     [][]float64
	chance     float64 // probability of at least as many divergences there by chance
}

// ends returns the ends at which divergences cluster, and the lower ends of parameters that are scales of others, least
// probable first. The scale of groups without adapted coordinates is examined even if nothing diverges: trajectories
// may be short enough to avoid divergences but never reach small scales.
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

// chance returns the probability that at least as many divergences are at an end if they occur anywhere with equal
// probability.
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

// outlook compares draws and density beyond each limit at an end, and returns the limit with the largest missing share.
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
	size := math.Inf(1) // smallest size over limits, since few draws beyond a limit do not show their autocorrelation
	for k, value := range values {
		beyond := indicators(e.chains, func(x float64) bool { return e.isBeyond(x, value) })
		if n := stats.ESSMean(beyond); n < size {
			size = n
		}
		// Assume that the draws between the median and the limit are correct.
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

// towards returns the outlook from a middle draw towards an end, with its limits also as values of the parameter. It
// returns nil if the draws have too few distinct values.
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
	// Skip draws that rounding moved to a bound, since they have no unconstrained point.
	for _, at := range all[len(all)/2:] {
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

// valuesAt returns the parameters of a draw.
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
