package flow

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/optimize"
	"ppl/runtime/device"
	"ppl/runtime/noise"
)

// A fit holds the state of one call of a sampler: φ of each chain, with samples lanes for each.
type fit struct {
	ctx      context.Context
	target   infer.Target
	exact    infer.Target // target in double precision: single precision is not enough to find peaks
	options  infer.Options
	recorder infer.Recorder
	kept     infer.Statistics // statistics stored with each draw
	family   family
	explore  Explore // may be nil
	dim      int

	exe    device.Executable
	state  state
	report infer.Report
}

// samples is the number of draws of ε for each gradient of each chain, stepsEach the number of Adam steps for each
// iteration of warm-up.
const (
	samples   = 8
	stepsEach = 10
)

// Lane buffers. The target's coordinates are θ = center + root·z.
const (
	params   = "phi"
	center   = "center"
	root     = "root"
	bound    = "bound" // log p(θ) + log |det dθ/dε|
	slope    = "slope" // gradient of the bound with respect to φ
	theta    = "theta"
	density  = "density" // log ρ, log ℓ, log |det dθ/dε| − |ε|²/2
	values   = "values"
	siteBase = 1 << 20 // noise site of ε; targets number their sites from 0
)

// siteStart is the noise site of the host's initial draws of φ.
const siteStart = noise.Sites - 9

func sample(ctx context.Context, t infer.Target, o infer.Options, rec infer.Recorder, name string,
	f family, explore Explore) (infer.Report, error) {
	r := &fit{ctx: ctx, target: infer.InPrecision(t, o.Settings.Precision), exact: t, options: o, recorder: rec,
		family: f, explore: explore, dim: t.Dim()}
	r.report.Sampler, r.report.Chains, r.report.Warmup, r.report.Thin, r.report.Temperatures = name, o.Chains, o.Warmup,
		1, []float64{1}
	if err := infer.NeedAll(t, name); err != nil {
		return r.report, err
	}
	found, err := r.loadCheckpoint()
	if err == nil && !found {
		err = r.begin()
	}
	if err == nil {
		err = r.open()
	}
	if err != nil {
		return r.report, err
	}
	if err = r.train(); err == nil {
		err = r.draw()
	}
	var some [][][]float64
	if err == nil && r.explore != nil {
		some, err = r.someDraws()
	}
	_ = r.exe.Close() // it may hold a copy of all rows, and no result depends on it any more
	if err == nil && r.explore != nil {
		err = r.lookElsewhere(some)
	}
	return r.report, err
}

// begin finds a peak for each chain, and initialises its map to about the identity.
func (r *fit) begin() (err error) {
	o, s := r.options, &r.state
	search := optimize.Defaults()
	search.Starts, search.Seed, search.Threads, search.Device = o.Chains, o.Seed, o.Threads, o.Device
	if s.Peaks, err = optimize.Peaks(r.ctx, r.exact, search); err != nil {
		return err
	}
	for chain := range s.Peaks {
		draw := rand.New(rand.NewPCG(noise.Word(o.Seed, uint32(chain), 0, siteStart, 0),
			noise.Word(o.Seed, uint32(chain), 0, siteStart, 1)))
		s.Phi = append(s.Phi, r.family.start(draw.NormFloat64))
		s.Climbers = append(s.Climbers, newAdam(r.family.size()))
	}
	s.Weights = make([][]float64, o.Chains)
	return nil
}

// open compiles and loads the program, and sets centre and root of each lane to those of its chain's peak.
func (r *fit) open() error {
	o := r.options
	program, err := o.Device.Compile(r.entries())
	if err != nil {
		return err
	}
	if r.exe, err = program.Load(device.Options{Lanes: o.Chains * samples, Seed: o.Seed,
		Threads: o.Threads}); err != nil {
		return err
	}
	for chain, p := range r.state.Peaks {
		for lane := range r.lanes(chain) {
			r.exe.SetLane(center, lane, p.Theta)
			r.exe.SetLane(root, lane, r.rootOf(p))
		}
	}
	return nil
}

// lanes returns an iterator over the lanes of a chain.
func (r *fit) lanes(chain int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for lane := chain * samples; lane < (chain+1)*samples && yield(lane); lane++ {
		}
	}
}

// dense reports whether coordinates are mixed by a full root: the dimension is small enough to compute the curvature,
// and the family can use it.
func (r *fit) dense() bool { return !r.family.diagonal() && r.dim <= optimize.MostCurvature }

// rootOf returns Laplace's approximation as a map. If dense, it is R. Otherwise it holds the standard deviation of each
// coordinate given the others, 1/√(R Rᵀ)⁻¹ᵢᵢ, which maximises the bound for a normal target. It is the identity if
// there is no approximation.
func (r *fit) rootOf(p optimize.Peak) []float64 {
	switch {
	case r.dense() && p.Root != nil:
		return p.Root
	case r.dense():
		eye := make([]float64, r.dim*r.dim)
		for i := range r.dim {
			eye[i*r.dim+i] = 1
		}
		return eye
	}
	ones := make([]float64, r.dim)
	for i := range ones {
		ones[i] = 1
		if p.Deviation != nil {
			ones[i] = p.Deviation[i]
		}
	}
	return ones
}

func (r *fit) entries() []lower.Entry {
	train, draw := r.mapped(), r.mapped()
	total := autodiff.Add(autodiff.Add(train.logPrior, train.logLik), train.logDet)
	logQ := autodiff.Add(draw.logDet, autodiff.Mul(draw.logDet.Graph().Const(0.5),
		autodiff.SumAll(autodiff.Mul(draw.eps, draw.eps))))
	return []lower.Entry{
		{Name: "gradient", Assign: []lower.Assign{{Name: bound, Value: total},
			{Name: slope, Value: autodiff.Grad(total, train.phi)[0]}}},
		{Name: "draw", Assign: []lower.Assign{{Name: theta, Value: draw.theta},
			{Name: density, Value: autodiff.Concat(0, autodiff.Reshape(draw.logPrior, 1),
				autodiff.Reshape(draw.logLik, 1), autodiff.Reshape(autodiff.Neg(logQ), 1))}}},
		{Name: "values",
			Assign: []lower.Assign{{Name: values, Value: r.target.Values(autodiff.New().Input(theta, r.dim))}}},
	}
}

// A point holds the nodes of one draw of the approximation.
type point struct{ phi, eps, theta, logPrior, logLik, logDet node }

func (r *fit) mapped() (x point) {
	g := autodiff.New()
	x.phi, x.eps = g.Input(params, r.family.size()), g.Normal(siteBase, r.dim)
	z, logDet := r.family.push(x.phi, x.eps)
	x.logDet = logDet
	if r.dense() {
		z = apply(g.Input(root, r.dim, r.dim), z)
	} else {
		z = autodiff.Mul(g.Input(root, r.dim), z)
	}
	x.theta = autodiff.Add(g.Input(center, r.dim), z)
	x.logPrior, x.logLik = r.target.Density(x.theta)
	return x
}

// train maximises the bound.
func (r *fit) train() error {
	s, steps := &r.state, max(1, r.options.Warmup*stepsEach)
	for s.Steps < steps {
		r.spread()
		if err := r.call("gradient", s.Clock); err != nil {
			return err
		}
		s.Clock++
		for chain, phi := range s.Phi {
			if g := r.gradient(chain); g != nil {
				s.Climbers[chain].move(phi, g, cosine(r.rate(), s.Steps, steps))
			}
		}
		s.Steps++
		if s.Steps%stepsEach == 1 {
			r.recorder.Progress(infer.Progress{Phase: infer.WarmingUp, Done: s.Steps/stepsEach + 1,
				Total: r.options.Warmup})
		}
		if err := r.saveIfDue(); err != nil {
			return err
		}
	}
	r.spread()
	return nil
}

// rate returns Adam's initial rate.
func (r *fit) rate() float64 {
	if rate := r.options.Settings.StepSize; rate > 0 {
		return rate
	}
	return r.family.rate()
}

// spread writes each chain's φ to its lanes.
func (r *fit) spread() {
	for chain, phi := range r.state.Phi {
		for lane := range r.lanes(chain) {
			r.exe.SetLane(params, lane, phi)
		}
	}
}

// call runs an entry once, at a noise step.
func (r *fit) call(entry string, step uint64) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if entry == "gradient" {
		r.report.Gradients += int64(len(r.state.Phi) * samples)
	}
	_, err := r.exe.Run([]device.Call{{Entry: entry, Times: 1}}, step, nil)
	return err
}

// gradient returns the mean gradient over a chain's samples. It leaves out gradients that are not finite, and returns
// nil if none is finite.
func (r *fit) gradient(chain int) []float64 {
	sum, one, n := make([]float64, r.family.size()), make([]float64, r.family.size()), 0.0
	for lane := range r.lanes(chain) {
		r.exe.GetLane(slope, lane, one)
		if finite(one) {
			floats.Add(sum, one)
			n++
		}
	}
	if n == 0 {
		return nil
	}
	floats.Scale(1/n, sum)
	return sum
}

// finite reports whether all xs are finite: 0·x is 0 for every finite x and NaN otherwise.
func finite(xs []float64) bool {
	sum := 0.0
	for _, x := range xs {
		sum += 0 * x
	}
	return sum == 0
}
