package subsampling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
)

// An anchor is a point at which the sum of all rows' terms and its gradient are known. Minibatches and the energy
// estimates of swaps then only need to estimate the difference between the terms and their first-order approximation at
// the anchor (dynamics.Anchor). A walker uses the anchor nearest to the start of its trajectory.
type anchor struct {
	At, Slope []float64
	Sum       float64
	Density   float64 // log π at At

	// Rows and Rest are −∇∇ᵀ of the sum of all rows' terms and of the rest of log π, [dim, dim]. They are nil if not
	// computed.
	Rows, Rest []float64

	Renewed bool // added at the position of a walker far from all other anchors (renewal.go), not at a mode
}

// suitAnchors assigns to every lane, before its trajectory, the anchor nearest to it. The noise of gradients expected
// at this distance decides whether the lane uses its anchor, and bounds its step: noise would heat a walker far from
// all anchors faster than its thermostat cools it. In the region of the rung's draws the step is always the rung's,
// since otherwise steps would depend on positions.
func (w *controls) suitAnchors() {
	if len(w.Anchors) == 0 || !w.UsesAnchors && len(w.Anchors) < 2 {
		return
	}
	at := w.Positions()
	w.assignAnchors(at)
	if !w.UsesAnchors {
		return
	}
	for lane, x := range at {
		g := &w.Rungs[w.RungOf[lane]]
		noise := g.NoiseAt(g.Metric.Distance(x, w.Anchors[w.AnchorOf[lane]].At))
		w.Set(dynamics.AnchorShare, lane, population.OneIf(noise < g.Noises.Plain.Worst))
		w.Set(dynamics.StepSize, lane, g.StepUnder(math.Min(noise, g.Noises.Plain.Worst)))
	}
}

// assignAnchors assigns to every lane the anchor nearest to its point in at.
func (w *controls) assignAnchors(at [][]float64) {
	if !w.Numbered || len(w.Anchors) == 0 {
		return
	}
	for lane, x := range at {
		if k := w.nearestAnchor(x, false); w.AnchorOf[lane] != k {
			w.AnchorOf[lane] = k
			w.writeAnchor(lane)
		}
	}
}

// nearestAnchor returns the index of the anchor nearest to a point. If modes is true, it considers only anchors at
// modes.
func (w *controls) nearestAnchor(x []float64, modes bool) (k int) {
	nearest := math.Inf(1)
	for i := range w.Anchors {
		if len(w.Anchors) == 1 || modes && w.Anchors[i].Renewed {
			continue
		}
		if d := w.Rungs[0].Metric.Distance(x, w.Anchors[i].At); d < nearest {
			nearest, k = d, i
		}
	}
	return k
}

// newAnchors replaces the anchors and assigns them to the lanes.
func (w *controls) newAnchors(anchors []anchor) {
	w.tables = w.tablesOf(anchors)
	w.Anchors, w.AnchorOf = anchors, slices.Repeat([]int{-1}, w.Lanes())
	w.assignAnchors(w.Positions())
}

func (w *controls) writeAnchor(lane int) {
	k := w.AnchorOf[lane]
	if k < 0 || !w.Numbered {
		return
	}
	a := &w.Anchors[k]
	w.Exe.SetLane(dynamics.Anchor, lane, a.At)
}

// control returns the sum of all rows' terms at a lane's position, to first order about its anchor. It is NaN without
// anchors.
func (w *controls) control(lane int, at []float64) float64 {
	if len(w.Anchors) == 0 {
		return math.NaN()
	}
	a := &w.Anchors[w.AnchorOf[lane]]
	sum := a.Sum
	for j, slope := range a.Slope {
		sum += slope * (at[j] - a.At[j])
	}
	return sum
}

// An anchorSearch climbs to modes, with all rows at each step, and makes anchors of them. Without climbs, it makes
// anchors of the starting points. If rows are stored in random order, climbs from distant starting points use only the
// first 1/64 and then the first 1/8 of the rows before they use all. The climb with all rows then begins at a distance
// of some √8 standard deviations from the mode, and has the curvatures that the earlier ones have learned:
//
//	rows of 10⁸    1.6·10⁶   1.2·10⁷   10⁸
//	evaluations          6         3     2     2.5 passes over all rows instead of 5
type anchorSearch struct {
	run    *Subsampling
	starts func() [][]float64 // returns a starting point for each lane
	climbs bool
	far    bool // whether starting points may be far from the modes of all rows
	renews bool // whether to add the points to the existing anchors
	judge  func(s *anchorState, found *anchorResult) error
	state  anchorState
}

// anchorResult is the result of a search that judges its anchors.
type anchorResult struct {
	Anchored bool // whether gradients should have control variates
	Several  bool // whether anchors are in several modes
	Anchors  int  // number of anchors
}

// anchorState is the state of a search.
type anchorState struct {
	Starts  [][]float64    // starting point of each lane
	ClimbOf []int          // the climb from each lane's starting point
	Climbs  []adapt.Ascent // climbs from different starting points
	Found   []anchor       // anchor at the best point of each climb with all rows
	Rows    allRows        // sums at the current points of unfinished climbs
	Stages  []int          // numbers of chunks of rows of later stages
}

func (t *anchorSearch) Begin() error {
	t.state.Starts = t.starts()
	for _, x := range t.state.Starts {
		k := slices.IndexFunc(t.state.Climbs, func(c adapt.Ascent) bool { return slices.Equal(c.X, x) })
		if k < 0 {
			k = len(t.state.Climbs)
			t.state.Climbs = append(t.state.Climbs, adapt.NewAscent(x))
		}
		t.state.ClimbOf = append(t.state.ClimbOf, k)
	}
	t.state.Stages = t.stages()
	t.state.begin()
	return nil
}

// stages returns the numbers of chunks of rows that the stages of the climbs use.
func (t *anchorSearch) stages() (stages []int) {
	all := t.run.Phase.Chunks()
	if t.climbs && t.far && t.run.Phase.Batches.Mixed {
		for _, share := range []int{64, 8} {
			if all/share > 1 {
				stages = append(stages, all/share)
			}
		}
	}
	return append(stages, all)
}

// nearAfterStages is Ascent.Near of the last of several stages. An anchor at this squared distance from the mode, for
// each coordinate and in standard deviations, increases the noise of gradients by a tenth, since walkers are 1 away on
// average; another evaluation would read all rows once more.
const nearAfterStages = 0.1

// begin begins the next stage. Climbs continue from the ends of the previous stage, if there was one.
func (s *anchorState) begin() {
	for k := range s.Climbs {
		c := &s.Climbs[k]
		if c.Evaluations > 0 && len(s.Stages) == 1 {
			c.Near = nearAfterStages
		}
		c.Restart()
	}
	s.Found = make([]anchor, len(s.Climbs))
	chunks := s.Stages[0]
	s.Stages = s.Stages[1:]
	s.evaluateNext(chunks)
}

// evaluateNext prepares sums over some chunks of rows at the current points of the climbs.
func (s *anchorState) evaluateNext(chunks int) {
	var points [][]float64
	for _, c := range s.Climbs {
		if !c.Done {
			points = append(points, c.X)
		}
	}
	s.Rows = newAllRows(points, chunks)
}

func (*anchorSearch) Name() string { return "anchors" }
func (t *anchorSearch) State() any { return &t.state }
func (t *anchorSearch) More() bool { return t.state.Rows.more() }

// Share returns the share of the rows that the current step of the climbs has read.
func (t *anchorSearch) Share() float64 { return t.state.Rows.share() }

func (t *anchorSearch) Iterate() error {
	if err := t.run.readRows(&t.state.Rows); err != nil || t.state.Rows.more() {
		return err
	}
	t.advance()
	return nil
}

// advance reports the sums over rows to the climbs, and begins the next stage when all have ended.
func (t *anchorSearch) advance() {
	s, sums, b := &t.state, t.state.Rows.Sums, &t.run.Phase.Batches
	chunks, weight, last := s.Rows.Chunks, 1.0, len(s.Stages) == 0
	if !last {
		weight = float64(b.Rows) / float64(chunks*b.Pass)
	}
	for k := range s.Climbs {
		c := &s.Climbs[k]
		if c.Done {
			continue
		}
		at, p := c.X, sums[0]
		sums = sums[1:]
		if c.Report(t.run.controls.Rungs[0].Metric, weight*p.Sum+p.Rest, p.gradient(weight)) && last {
			s.Found[k] = anchor{At: at, Slope: p.Slope, Sum: p.Sum, Density: p.Sum + p.Rest}
		}
		c.Done = c.Done || !t.climbs
	}
	s.evaluateNext(chunks)
	if !s.Rows.more() && !last {
		s.join(t.sameMode)
		s.begin()
	}
}

// join replaces climbs that have arrived in the same mode by the one that is highest, since all of them would read the
// rows of the next stage.
func (s *anchorState) join(same func(x, y []float64) bool) {
	var kept []adapt.Ascent
	to := make([]int, len(s.Climbs))
	for k, c := range s.Climbs {
		to[k] = slices.IndexFunc(kept, func(o adapt.Ascent) bool {
			return c.Arrived && o.Arrived && same(o.Best, c.Best)
		})
		switch i := to[k]; {
		case i < 0:
			to[k], kept = len(kept), append(kept, c)
		case kept[i].BestDensity < c.BestDensity:
			kept[i] = c
		}
	}
	s.Climbs = kept
	for lane, k := range s.ClimbOf {
		s.ClimbOf[lane] = to[k]
	}
}

func (t *anchorSearch) Finish() (found anchorResult, err error) {
	w := t.run.controls
	if t.renews {
		return found, t.run.renew(t.found())
	}
	var anchors []anchor
	for _, a := range t.found() {
		anchors = t.merge(anchors, a)
	}
	w.newAnchors(anchors[max(0, len(anchors)-w.mostAnchors()):])
	found.Anchors = len(w.Anchors)
	if t.judge != nil {
		err = t.judge(&t.state, &found)
	}
	return found, err
}

// found returns the anchors of the search. A climb that ended before it reached a mode, such as on a ridge, does not
// count as a mode; only if no climb arrived, the highest end counts.
func (t *anchorSearch) found() (out []anchor) {
	arrived, best := false, -1
	for k, c := range t.state.Climbs {
		arrived = arrived || c.Arrived
		if a := t.state.Found[k]; a.At != nil && (best < 0 || a.Density > t.state.Found[best].Density) {
			best = k
		}
	}
	for k, a := range t.state.Found {
		if a.At != nil && (!t.climbs || t.state.Climbs[k].Arrived || !arrived && k == best) {
			out = append(out, a)
		}
	}
	return out
}

// sameMode reports whether the ends of two climbs are in the same mode. On a ladder the metric may be as wide as
// several modes together, so the bound is smaller.
func (t *anchorSearch) sameMode(x, y []float64) bool {
	same := 0.2 * float64(len(x))
	if len(t.run.controls.Rungs) > 1 {
		same /= 100
	}
	return t.run.controls.Rungs[0].Metric.Distance(x, y) < same
}

// merge adds an anchor, unless there is one at the same mode already; then it keeps the higher of the two.
func (t *anchorSearch) merge(anchors []anchor, a anchor) []anchor {
	for i := range anchors {
		if t.climbs && t.sameMode(anchors[i].At, a.At) {
			if anchors[i].Density < a.Density {
				anchors[i] = a
			}
			return anchors
		}
	}
	return append(anchors, a)
}

// FirstAnchors makes anchors of the modes near the walkers, if they reduce the cost. If not, gradients have no anchors,
// and only swaps use anchors, at the cold walkers' positions.
func (r *Subsampling) FirstAnchors(load func() error) error {
	if r.Phase.System.Batches.Anchored {
		anchored, err := r.anchorAtModes()
		if r.state.Compared != "" {
			r.Notef("%s", r.state.Compared)
		}
		if err != nil || anchored {
			return err
		}
		at := r.controls.Positions()
		r.Phase, r.Always = r.Phase.WithControls(false).WithAlways(nil), nil
		r.controls.newAnchors(nil)
		if err := load(); err != nil {
			return err
		}
		if _, err := r.controls.Place(r.Ctx, at); err != nil {
			return err
		}
	}
	if err := r.AnchorAtColdWalkers(); err != nil {
		return err
	}
	return r.MeasureNoise()
}

// anchorAtModes climbs from the walkers to modes, places walkers around these, measures the noise of gradients with the
// anchors and without, and decides whether the run uses them. If climbs end at several points, curvatures show whether
// these are modes. If not, as on a ridge that the metric does not represent, the climbs continue in coordinates in
// which the curvatures are round.
func (r *Subsampling) anchorAtModes() (anchored bool, err error) {
	if r.controls.mostAnchors() == 0 {
		r.Notef("minibatches have no control variates: the gradients of %d batches of %d coordinates at an anchor "+
			"would take too much memory; take larger batches (--set batch)", r.controls.Batches.Blocks(),
			r.controls.Dim)
		return false, nil
	}
	const most = 3
	starts := r.controls.Positions
	for try := range most {
		found, err := part.Do(r.Run, &anchorSearch{run: r, starts: starts, climbs: true, far: try == 0,
			judge: r.judgeAnchors})
		if err != nil || found.Anchors == 0 {
			return false, err
		}
		if !found.Several {
			return r.takeAlways(false, found.Anchored)
		}
		curved, err := part.Do(r.Run, &curvature{run: r})
		if err != nil || curved.Anchors == 0 {
			return false, err
		}
		if !curved.Unfinished {
			return r.takeAlways(true, curved.Anchored)
		}
		starts = r.controls.nearestAnchors
	}
	r.Notef("minibatches have no control variates: climbs did not reach the modes")
	return false, nil
}

// nearestAnchors returns for each lane the position of its anchor.
func (w *controls) nearestAnchors() (at [][]float64) {
	for _, k := range w.AnchorOf {
		at = append(at, w.Anchors[k].At)
	}
	return at
}

// AnchorAtColdWalkers makes anchors at the positions of the cold walkers, for swaps, if gradients have no anchors.
func (r *Subsampling) AnchorAtColdWalkers() error {
	w := r.controls
	if !r.Phase.Batches.InUse() || r.Phase.System.Batches.Anchored || r.Phase.Swaps.Plain || len(w.Rungs) < 2 {
		return nil
	}
	_, err := part.Do(r.Run, &anchorSearch{run: r, starts: func() (at [][]float64) {
		all := w.Positions()
		for chain := range w.Chains {
			at = append(at, all[w.Cold(chain)])
		}
		return at
	}})
	return err
}

// judgeAnchors places walkers around the mode and compares the noise with the anchor and without. If anchors are not
// used, walkers return to their starting points. If there are several modes, it only places walkers at them, since
// curvatures are computed first.
func (r *Subsampling) judgeAnchors(s *anchorState, found *anchorResult) error {
	w := r.controls
	found.Several = len(w.Anchors) > 1 && w.Dim <= mostCurved
	begun, about := make([][]float64, w.Lanes()), make([][]float64, w.Lanes())
	for lane, k := range s.ClimbOf {
		begun[lane], about[lane] = s.Starts[lane], s.Starts[lane]
		if len(w.Anchors) > 1 && s.Found[k].At != nil {
			about[lane] = s.Found[k].At
		} else if len(w.Anchors) == 1 {
			about[lane] = r.drawNear(lane, w.Anchors[0].At)
		}
	}
	bad, err := w.Place(r.Ctx, about)
	if err != nil || found.Several {
		return err
	}
	switch {
	case len(w.Anchors) == 0:
		r.Notef("minibatches have no control variates: the gradient of all rows was not finite on climbs from the " +
			"walkers")
	case len(w.Anchors) > 1:
		r.Notef("minibatches have no control variates: there are several modes, and curvatures are computed only "+
			"in up to %d coordinates", mostCurved)
	case len(bad) > 0:
		r.Notef("minibatches have no control variates: the density is not finite everywhere around the mode")
	default:
		if err := r.MeasureNoise(); err != nil {
			return err
		}
		found.Anchored = r.anchorsPay(w.Rungs[0].Noises)
	}
	if !found.Anchored {
		_, err = w.Place(r.Ctx, begun)
	}
	return err
}

// drawNear returns a draw from the normal distribution around a point with the cold rung's metric.
func (r *Subsampling) drawNear(lane int, mode []float64) []float64 {
	random := rand.New(rand.NewPCG(r.Phase.Options.Seed, 1<<32+uint64(lane)))
	z := make([]float64, len(mode))
	for j := range z {
		z[j] = random.NormFloat64()
	}
	x := r.controls.Rungs[0].Metric.Push(z)
	for j := range x {
		x[j] += mode[j]
	}
	return x
}

// anchorsPay reports whether anchors give more effective draws for the same number of steps at temperature 1, measured
// by the pace of walkers. Steps with an anchor even cost less, since all walkers share their rows. For rules without a
// thermostat, and for fixed steps, it requires clearly less noise, which reduces bias.
func (r *Subsampling) anchorsPay(noise population.Noises) bool {
	s := &r.Phase
	if s.Settings().ControlVariates == "on" {
		return true
	}
	at := r.controls.Rungs[0]
	pays := s.Pace(at, noise.Anchored) > s.Pace(at, noise.Plain)
	if s.StepSize > 0 || !r.controls.Thermostated() {
		pays = noise.Anchored.Worst < noise.Plain.Worst/2
	}
	what := "they are used"
	if !pays {
		what = "they give no more effective draws, so they are not used"
	}
	r.state.Compared = fmt.Sprintf("the variance of a minibatch's gradient in whitened coordinates is %.2g with "+
		"control variates and %.2g without; %s", noise.Anchored.Worst, noise.Plain.Worst, what)
	return pays
}

// renew adds anchors, and drops earlier renewed ones that no walker uses.
func (r *Subsampling) renew(found []anchor) error {
	w := r.controls
	var kept []anchor
	for k, a := range w.Anchors {
		if !a.Renewed || slices.Contains(w.AnchorOf, k) {
			kept = append(kept, a)
		}
	}
	for _, a := range found[:max(0, min(len(found), w.mostAnchors()-len(kept)))] {
		a.Renewed = true
		kept = append(kept, a)
	}
	w.newAnchors(kept)
	return r.MeasureNoise()
}
