package netwarmup

import (
	"math"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
	"ppl/runtime/device"
)

// The optimiser takes climbSteps of all chains together for each iteration of warm-up, so that few replicas are trained
// for longer than many, which are better on average: of each from fewestSteps to mostSteps. Its rate rises in the first
// twentieth of them, stays, and falls to 0 in the second half, so that noise of batches does not keep walkers from the
// mode. A look at the rows held out comes after each epoch, of at least lookSteps; while the rate falls the climb ends
// early where fewWorse looks in a row are not above the best since then.
const (
	climbRate   = 2e-3
	climbSteps  = 24
	fewestSteps = 2
	mostSteps   = 6
	climbRise   = 0.05
	climbFall   = 0.5
	lookSteps   = 100
	fewWorse    = 2
)

// climb is the part of warm-up in which an optimiser moves the walkers.
type climb struct {
	run   *Warmup
	state climbState
}

// climbState is how far it is.
type climbState struct {
	Steps, Since int            // in all, and since the last look
	Scores       []heldOutScore // so far
	Best         float64        // of the scores held out while the rate falls
	Worse        int            // looks since then
	Done         bool
}

// A heldOutScore is the mean log ℓ of a row, averaged over walkers, for rows that they learn from and for rows held
// out.
type heldOutScore struct{ Learned, HeldOut float64 }

func (c *climb) Begin() error {
	c.state.Best = math.Inf(-1)
	w, most := c.run.Walkers, float64(c.most())
	w.SetAll(dynamics.ClimbRate, climbRate)
	w.SetAll(dynamics.ClimbRise, climbRise*most)
	w.SetAll(dynamics.ClimbFall, climbFall*most)
	w.SetAll(dynamics.ClimbEnd, most)
	w.SetAll(dynamics.Learned, 0)
	return nil
}

func (c *climb) More() bool { return !c.state.Done }
func (*climb) Name() string { return "climb" }
func (c *climb) State() any { return &c.state }

// each returns the number of steps from one look to the next.
func (c *climb) each() int { return max(c.run.Phase.Epoch(false), lookSteps) }

func (c *climb) most() int { return c.run.mostClimb() }

// mostClimb returns the largest number of steps of the climb.
func (r *Warmup) mostClimb() int {
	o := r.Phase.Options
	return max(o.Warmup*min(max(climbSteps/o.Chains, fewestSteps), mostSteps), lookSteps)
}

// Iterate makes the steps of one call of the device, and scores the walkers after an epoch.
func (c *climb) Iterate() error {
	r, s := c.run, &c.state
	w := r.Walkers
	n := min(w.StepsPerCall(), c.each()-s.Since, c.most()-s.Steps)
	if err := w.RunTimed(r.Ctx, []device.Call{{Entry: dynamics.Climb, Times: n}}, n); err != nil {
		return err
	}
	s.Steps, s.Since = s.Steps+n, s.Since+n
	c.show()
	if s.Since < c.each() && s.Steps < c.most() {
		return nil
	}
	return c.look()
}

// look scores the rows that are held out, and decides whether to continue.
func (c *climb) look() error {
	r, s := c.run, &c.state
	w := r.Walkers
	now := heldOutScore{Learned: population.Mean(w.Read(dynamics.Learned, nil)) / float64(s.Since)}
	w.SetAll(dynamics.Learned, 0)
	held, err := r.scoreHeldOut()
	if err != nil {
		return err
	}
	now.HeldOut = population.Mean(held)
	s.take(now, c.most())
	return nil
}

// take records a score, and decides whether the climb, of at most that many steps, is finished.
func (s *climbState) take(now heldOutScore, most int) {
	s.Scores, s.Since = append(s.Scores, now), 0
	switch falls := float64(s.Steps) > (1-climbFall)*float64(most); {
	case falls && now.HeldOut > s.Best:
		s.Best, s.Worse = now.HeldOut, 0
	case falls:
		s.Worse++
	}
	s.Done = s.Worse >= fewWorse || s.Steps >= most
}

// scoreHeldOut returns the mean log ℓ of a row that is held out, by walker.
func (r *Warmup) scoreHeldOut() ([]float64, error) {
	w, b := r.Walkers, r.Phase.Batches
	sums := make([]float64, w.Lanes())
	for part := range b.ScoreChunks() {
		w.SetAll(dynamics.Part, float64(part))
		if err := w.RunEntry(r.Ctx, dynamics.Score, nil); err != nil {
			return nil, err
		}
		for lane, v := range w.View(dynamics.Score) {
			sums[lane] += v / float64(b.HeldOut)
		}
	}
	return sums, nil
}

func (c *climb) show() {
	r, s := c.run, &c.state
	p := infer.Progress{Phase: infer.Optimising, Done: s.Steps, Total: c.most(), Steps: int64(s.Steps),
		Epoch: float64(s.Steps) / float64(r.Phase.Epoch(false))}
	if n := len(s.Scores); n > 0 {
		p.Learned, p.HeldOut = s.Scores[n-1].Learned, s.Scores[n-1].HeldOut
	}
	r.Recorder.Progress(p)
}

func (c *climb) Finish() (struct{}, error) {
	r, s := c.run, &c.state
	last := s.Scores[len(s.Scores)-1]
	r.Notef("an optimiser took each chain through %.1f epochs (%d steps): mean log likelihood %.3f of a row that it "+
		"learned from, %.3f of one of %d that it did not; the draws are from all rows",
		float64(s.Steps)/float64(r.Phase.Epoch(false)), s.Steps, last.Learned, last.HeldOut,
		r.Phase.Batches.HeldOut)
	return struct{}{}, nil
}
