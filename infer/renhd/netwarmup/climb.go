package netwarmup

import (
	"math"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
	"ppl/runtime/device"
)

// The optimiser runs climbSteps steps, divided among the chains, for each iteration of warm-up. The fewer the chains,
// the more steps each gets: from fewestSteps to mostSteps. Longer training makes them better on average. The rate rises
// in the first twentieth of the steps, remains constant, and falls to 0 in the second half, so that batch noise does
// not keep walkers away from the mode. After each epoch, but at least lookSteps, the held-out rows are scored. While
// the rate falls, the climb ends early if fewWorse scores in a row are below the best score since the fall began.
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

// climbState is the state of a climb.
type climbState struct {
	Steps, Since int            // number of steps in total, and since the last score
	Scores       []heldOutScore // all scores so far
	Best         float64        // best score of held-out rows while the rate falls
	Worse        int            // number of scores since Best
	Done         bool
}

// A heldOutScore is the mean log ℓ of a training row and of a held-out row, averaged over walkers.
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

// each returns the number of steps between two scores.
func (c *climb) each() int { return max(c.run.Phase.Epoch(false), lookSteps) }

func (c *climb) most() int { return c.run.mostClimb() }

// mostClimb returns the maximum number of steps of an optimiser for each chain.
func (r *Warmup) mostClimb() int {
	o := r.Phase.Options
	return max(o.Warmup*min(max(climbSteps/o.Chains, fewestSteps), mostSteps), lookSteps)
}

// Iterate runs the steps of one call of the device, and scores the walkers after each epoch.
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

// look scores the held-out rows and decides whether to continue.
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

// take records a score and decides whether the climb is finished. most is the maximum number of steps.
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

// scoreHeldOut returns the mean log ℓ of a held-out row, by walker.
func (r *Warmup) scoreHeldOut() ([]float64, error) {
	w, b := r.Walkers, r.Phase.Batches
	sums := make([]float64, w.Lanes())
	for part := range b.ScoreChunks() {
		w.GiveAll(dynamics.Part, float64(part))
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
	r.Notef("an optimiser took each chain through %.1f epochs (%d steps): the mean log likelihood is %.3f for "+
		"training rows and %.3f for the %d held-out rows; the draws use all rows",
		float64(s.Steps)/float64(r.Phase.Epoch(false)), s.Steps, last.Learned, last.HeldOut,
		r.Phase.Batches.HeldOut)
	return struct{}{}, nil
}
