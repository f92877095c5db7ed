package modelgen_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/autodiff/gorgonia"
	"ppl/compiler"
	"ppl/compiler/backend/lower"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/frontend/model"
	"ppl/compiler/modelgen"
	"ppl/lang/diag"
	"ppl/lang/format"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/lang/types"
	"ppl/numbers"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// A count records how often each property was tested, because a test without comparisons must fail.
type count struct{ models, finite, slopes, centred, completed, split int }

func (c *count) add(d count) {
	c.models, c.finite, c.slopes = c.models+d.models, c.finite+d.finite, c.slopes+d.slopes
	c.centred, c.completed, c.split = c.centred+d.centred, c.completed+d.completed, c.split+d.split
}

// TestRandomModels checks the properties of valid models on some hundred random ones.
func TestRandomModels(t *testing.T) { check(t, 0, 120) }

// TestManyRandomModels checks the same properties on thousands of models.
func TestManyRandomModels(t *testing.T) {
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
	check(t, 1000, 4000)
}

func check(t *testing.T, from, n uint64) {
	var sum count
	for seed := from; seed < from+n; seed++ {
		text := modelgen.Model(seed, nil)
		if done, wrong := properties(t.TempDir(), text, seed); wrong != "" {
			t.Errorf("seed %d: %s\n%s", seed, wrong, text)
		} else {
			sum.add(done)
		}
	}
	if least := int(n) / 4; sum.finite < least || sum.slopes < 2*least || sum.centred < least ||
		sum.completed < least || sum.split < least {
		t.Errorf("the properties saw too little of %d models: %+v", n, sum)
	}
	t.Logf("%+v", sum)
}

// FuzzModels lets the fuzzer determine the choices.
func FuzzModels(f *testing.F) {
	f.Add(uint64(1), []byte{})
	f.Add(uint64(2), []byte("choices"))
	f.Fuzz(func(t *testing.T, seed uint64, choices []byte) {
		text := modelgen.Model(seed, choices)
		if _, wrong := properties(t.TempDir(), text, seed); wrong != "" {
			t.Fatalf("%s\n%s", wrong, text)
		}
	})
}

// properties returns the first property that a valid model violates, or "". A panic is a violation.
func properties(dir, text string, seed uint64) (seen count, wrong string) {
	defer explain(&wrong)
	if wrong := roundTrip(text); wrong != "" {
		return seen, wrong
	}
	p, said := load(dir, text)
	if p == nil {
		return seen, "refused:\n" + said
	}
	s := newSubject(p, seed)
	if wrong := s.start(&seen); wrong != "" || len(s.points) == 0 {
		return seen, wrong
	}
	for _, property := range []func(*count) string{s.evaluators, s.gradient, s.split, s.parts, s.complete} {
		if wrong := property(&seen); wrong != "" {
			return seen, wrong
		}
	}
	seen.models++
	return seen, ""
}

// explain converts a panic into a violation.
func explain(wrong *string) {
	if r := recover(); r != nil {
		*wrong = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
	}
}

func load(dir, text string) (*compiler.Program, string) {
	path := filepath.Join(dir, "model.ppl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil, err.Error()
	}
	p, ds := compiler.Load(compiler.Request{Path: path})
	var b strings.Builder
	diag.Render(&b, ds, false)
	return p, b.String()
}

// roundTrip checks that the canonical form of a model parses, and that its canonical form is the same text.
func roundTrip(text string) string {
	file, ds := parse.File(source.New("model.ppl", text))
	if len(ds) > 0 {
		return "does not parse: " + ds[0].Message
	}
	once := format.File(file)
	file, ds = parse.File(source.New("formatted.ppl", once))
	if len(ds) > 0 {
		return "its canonical form does not parse: " + ds[0].Message + "\n" + once
	}
	if twice := format.File(file); twice != once {
		return "the canonical form changes:\n" + once + "\nthen\n" + twice
	}
	return ""
}

// A subject is a program with its graph and some points.
type subject struct {
	*compiler.Program
	theta                           autodiff.Node
	prior, likelihood, grad, values autodiff.Node
	points                          [][]float64
	near                            [][][][]float64 // nearby each of the points
	seed                            uint64
}

func newSubject(p *compiler.Program, seed uint64) *subject {
	g := autodiff.New()
	s := &subject{Program: p, theta: g.Input("theta", p.Dim()), seed: seed}
	s.prior, s.likelihood = p.Density(s.theta)
	s.grad = autodiff.Grad(autodiff.Add(s.prior, s.likelihood), s.theta)[0]
	s.values = p.Values(s.theta)
	return s
}

func (s *subject) outputs() []autodiff.Node {
	return []autodiff.Node{s.prior, s.likelihood, s.grad, s.values}
}

func (s *subject) eval(point []float64, nodes ...autodiff.Node) [][]float64 {
	return autodiff.Eval(map[string][]float64{"theta": point}, nodes...)
}

func (s *subject) density(point []float64) float64 {
	out := s.eval(point, s.prior, s.likelihood)
	return out[0][0] + out[1][0]
}

// start checks that starting points are finite, and that the density is finite at some of them; a sampler tries again
// otherwise, because distributions with heavy tails draw numbers whose squares overflow. The other properties are
// tested at up to three points of moderate size: at 1e9, some densities consist only of rounding errors, and so do
// differences of steps beyond 1e12.
func (s *subject) start(seen *count) string {
	found := false
	for try := 0; try < 20 && len(s.points) < 3; try++ {
		x := s.Start(s.seed, try)
		if !finite(x...) {
			return fmt.Sprintf("starts at %v", x)
		}
		if !finite(s.density(x)) {
			continue
		}
		found = true
		if within(1e4, s.eval(x, s.values)[0]) && within(1e4, x) && s.largestStep(x) <= 1e12 {
			s.points, s.near = append(s.points, x), append(s.near, s.nearby(x))
			seen.finite++
		}
	}
	if !found {
		return "no start has a finite density"
	}
	return ""
}

// within reports whether no element of x is beyond ±limit.
func within(limit float64, x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.Abs(v) > limit })
}

// largestStep returns the largest finite absolute value in the computation of the density at x.
func (s *subject) largestStep(x []float64) (most float64) {
	var nodes []autodiff.Node
	for _, n := range autodiff.Needed(s.prior, s.likelihood) {
		if !n.Static() {
			nodes = append(nodes, n)
		}
	}
	for _, values := range s.eval(x, nodes...) {
		for _, v := range values {
			if finite(v) {
				most = max(most, math.Abs(v))
			}
		}
	}
	return most
}

func finite(x ...float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// evaluators checks that the interpreter, the tape machine and the device compute the same numbers.
func (s *subject) evaluators(*count) string {
	names := []string{"log_prior", "log_likelihood", "gradient", "values"}
	entry := lower.Entry{Name: "all"}
	for k, n := range s.outputs() {
		entry.Assign = append(entry.Assign, lower.Assign{Name: names[k], Value: n})
	}
	program, err := lower.Program([]lower.Entry{entry})
	if err != nil {
		return err.Error()
	}
	x, err := host.Device{}.Load(program, device.Options{Lanes: len(s.points), Threads: 1})
	if err != nil {
		return err.Error()
	}
	defer x.Close()
	for lane, point := range s.points {
		x.SetLane("theta", lane, point)
	}
	if _, err := x.Run([]device.Call{{Entry: "all", Times: 1}}, 0, nil); err != nil {
		return err.Error()
	}
	for lane, point := range s.points {
		for k, want := range s.eval(point, s.outputs()...) {
			got := make([]float64, len(want))
			x.GetLane(names[k], lane, got)
			wrong := same("the device", names[k], got, want, s.near[lane][k])
			if wrong != "" && !(names[k] == "gradient" && s.hasSlopes(point, got)) {
				return wrong
			}
		}
	}
	machine, err := gorgonia.Eval(map[string][]float64{"theta": s.points[0]}, s.outputs()...)
	if err != nil {
		return "the tape machine: " + err.Error()
	}
	for k, want := range s.eval(s.points[0], s.outputs()...) {
		if wrong := same("the tape machine", names[k], machine[k], want, s.near[0][k]); wrong != "" {
			return wrong
		}
	}
	return ""
}

// nearby evaluates the outputs at points close to x: for each output, its values at each of them. A result that changes
// there by more than the coordinates is ill conditioned. The points have several distances, because a result that is
// the difference of two large numbers can change with every bit of a coordinate and agree at two chosen points.
func (s *subject) nearby(x []float64) [][][]float64 {
	near := make([][][]float64, len(s.outputs()))
	for _, distance := range []float64{1e-10, -1e-10, 1e-12, 1e-13, 1e-14, 1e-15, -1e-15, 5e-16} {
		y := slices.Clone(x)
		for i := range y {
			y[i] *= 1 + distance*float64(1-2*(i%2))
		}
		for k, values := range s.eval(y, s.outputs()...) {
			near[k] = append(near[k], values)
		}
	}
	return near
}

// same allows a relative error of 1e-9 of the largest element, because the order of sums may differ and gradients
// cancel, and as much as the reference itself changes to its values at close points.
func same(who, name string, got, want []float64, near [][]float64) string {
	allowed := 1e-9
	for i, w := range want {
		if !finite(w) {
			continue
		}
		allowed = max(allowed, 1e-9*math.Abs(w))
		for _, values := range near {
			if finite(values[i]) {
				allowed = max(allowed, math.Abs(w-values[i]))
			}
		}
	}
	for i, w := range want {
		if got[i] != w && !(math.IsNaN(got[i]) && math.IsNaN(w)) && !(math.Abs(got[i]-w) <= allowed) {
			return fmt.Sprintf("%s[%d]: %s has %.15g, the interpreter %.15g", name, i, who, got[i], w)
		}
	}
	return ""
}

// gradient compares the gradient with central differences, if two step sizes agree that the density is smooth.
func (s *subject) gradient(seen *count) string {
	x := s.points[0]
	at, grad := s.density(x), s.eval(x, s.grad)[0]
	for i := range x {
		wide, narrow := s.slope(x, i, 1e-4), s.slope(x, i, 1e-5)
		tol := 1e-4*math.Max(1, math.Abs(narrow)) + 1e-10*math.Abs(at)/1e-5
		if !(math.Abs(wide-narrow) <= tol/4) {
			continue
		}
		seen.slopes++
		if !(math.Abs(grad[i]-narrow) <= tol) {
			return fmt.Sprintf("gradient[%d] is %.10g, central differences %.10g", i, grad[i], narrow)
		}
	}
	return ""
}

// hasSlopes reports whether central differences at x confirm every element of grad. The interpreter can be the one that
// loses digits: devices compute a softmax from differences with the largest element, and it from their logarithm.
func (s *subject) hasSlopes(x, grad []float64) bool {
	for i, g := range grad {
		narrow := s.slope(x, i, 1e-5)
		if !(math.Abs(s.slope(x, i, 1e-4)-narrow) <= 1e-6*math.Max(1, math.Abs(narrow))) ||
			!(math.Abs(g-narrow) <= 1e-6*math.Max(1, math.Abs(narrow))) {
			return false
		}
	}
	return true
}

func (s *subject) slope(x []float64, i int, h float64) float64 {
	up, down := slices.Clone(x), slices.Clone(x)
	up[i], down[i] = x[i]+h, x[i]-h
	return (s.density(up) - s.density(down)) / (2 * h)
}

// split checks that log ρ, and the terms of all rows plus the part without rows, are the two parts of the density, and
// that their gradients sum to its gradient. The row numbers are an input of the graph.
func (s *subject) split(seen *count) string {
	n, err := s.Rows()
	if err != nil {
		return ""
	}
	seen.split++
	rows := s.theta.Graph().Input("rows", n)
	prior, whole, terms := s.Split(s.theta, rows)
	likelihood := autodiff.Add(whole, autodiff.SumAll(terms))
	got := []autodiff.Node{prior, likelihood, autodiff.Grad(autodiff.Add(prior, likelihood), s.theta)[0]}
	inputs := map[string][]float64{"rows": make([]float64, n)}
	for i := range n {
		inputs["rows"][i] = float64((i + n/2) % n)
	}
	for i, point := range s.points {
		want, near := s.eval(point, s.outputs()...), s.near[i]
		inputs["theta"] = point
		for k, g := range autodiff.Eval(inputs, got...) {
			if wrong := same("the split into rows", []string{"log_prior", "log_likelihood", "gradient"}[k], g, want[k],
				near[k]); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// parts checks that log prior, log likelihood and log-Jacobian at the values of a point have the density there as their
// sum.
func (s *subject) parts(seen *count) string {
	for _, term := range s.Model().Terms {
		if term.NonCentered { // the prior is then that of the coordinates
			return ""
		}
	}
	x := s.points[0]
	lp, err := s.LogProb(parameters(s.Program, s.eval(x, s.values)[0]))
	if err != nil {
		return "LogProb: " + err.Error()
	}
	seen.centred++
	got, want := lp.Prior+lp.Likelihood+lp.Jacobian, s.density(x)
	if got != want && !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))) {
		return fmt.Sprintf("log prior %.10g, likelihood %.10g and Jacobian %.10g are not the density %.10g", lp.Prior,
			lp.Likelihood, lp.Jacobian, want)
	}
	return ""
}

// parameters returns the parameters among the saved values, by name.
func parameters(p *compiler.Program, values []float64) map[string]*content.Array {
	at := map[string]*content.Array{}
	drawn := map[string]bool{}
	for _, a := range p.Model().Arrays {
		drawn[a.Name] = a.Role == model.Parameter || a.Role == model.Imputed
	}
	place := 0
	for _, v := range p.Saved() {
		if drawn[v.Name] {
			at[v.Name] = &content.Array{Name: v.Name, Shape: v.Shape,
				Values: numbers.Of(values[place : place+v.Size()]...)}
		}
		place += v.Size()
	}
	return at
}

// complete checks that values known only after inference are completed with numbers. Next to an infinite value, NaN is
// allowed.
func (s *subject) complete(seen *count) string {
	values := s.eval(s.points[0], s.values)[0]
	s.Complete(rand.New(rand.NewPCG(s.seed, 1)), values)
	place := 0
	for _, v := range s.Saved() {
		if wrong := inSupport(v, values[place:place+v.Size()]); wrong != "" {
			return wrong
		}
		place += v.Size()
		seen.completed++
	}
	return ""
}

func inSupport(v types.Variable, values []float64) string {
	overflow := slices.ContainsFunc(values, func(x float64) bool { return math.IsInf(x, 0) })
	for i, x := range values {
		if math.IsNaN(x) && !overflow {
			return fmt.Sprintf("%s[%d] is not a number after inference: %v", v.Name, i, values)
		}
		if v.Int && !math.IsNaN(x) && x != math.Trunc(x) {
			return fmt.Sprintf("%s[%d] = %v is not a whole number", v.Name, i, x)
		}
	}
	return ""
}
