package diagnose

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppl/lang/types"
	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

// contradict reports whether nobody can follow both pieces of advice, or whether following one makes the other
// pointless.
func contradict(a, b store.Advice) bool {
	if a.On == b.On && (a.Do == b.Do && a.To != "" && b.To != "" && a.To != b.To || against(a.Do, b.Do)) {
		return true
	}
	return pointless(a, b) || pointless(b, a)
}

func against(a, b store.Action) bool {
	for _, pair := range [][2]store.Action{{store.Raise, store.Lower}, {store.Center, store.Shift},
		{store.Order, store.Shift}} {
		if pair == [2]store.Action{a, b} || pair == [2]store.Action{b, a} {
			return true
		}
	}
	return false
}

// pointless reports whether following a makes b useless: b asks for more draws and a changes the model; b changes
// coordinates and a corrects an improper posterior; b changes the ladder and a replaces the sampler.
func pointless(a, b store.Advice) bool {
	longer := b.On == "draws" || b.Do == store.Continue
	switch a.Do {
	case store.Confine, store.Repair:
		return a.On == "mu" && (longer || b.Do == store.Shift || b.Do == store.Center) // mu: the improper parameter
	case store.Rewrite, store.Order, store.Shift, store.Center:
		return longer
	case store.Choose:
		return a.On == "sampler" && b.On == "replicas"
	}
	return false
}

// contradictions returns the pairs of contradictory advice in different warnings. The pieces of advice of one warning
// are alternatives, so they are not compared with each other.
func contradictions(topics []summary.Topic) (all []string) {
	warnings, _ := ranked(topics)
	for i, w := range warnings {
		for _, v := range warnings[:i] {
			for _, a := range w.Advice {
				for _, b := range v.Advice {
					if contradict(a, b) {
						all = append(all, fmt.Sprintf("%q and %q", a.Text, b.Text))
					}
				}
			}
		}
	}
	return all
}

// A fact changes the findings about a run without faults, so that some rules apply.
type fact struct {
	name   string
	change func(*findings)
}

// soundFindings returns the findings about a run by renhd without faults.
func soundFindings() *findings {
	f := &findings{run: store.Info{Status: store.Finished, Draws: 1000, Sampler: "renhd", Written: []int{1000}},
		report: &summary.Report{Dir: "m.run", Chains: 4}, drawn: []string{"mu", "tau", "theta"}, energyESS: 2000}
	f.parameters = []summary.Parameter{{Name: "mu", Variable: "mu"}, {Name: "tau", Variable: "tau"},
		{Name: "theta[1]", Variable: "theta"}, {Name: "theta[2]", Variable: "theta"}}
	for i := range f.parameters {
		f.parameters[i].Summary = stats.Summary{Mean: 2, SD: 1, RHat: 1, ESSBulk: 2000, ESSTail: 2000}
	}
	return f
}

func each(change func(p *summary.Parameter)) func(*findings) {
	return func(f *findings) {
		for i := range f.parameters {
			change(&f.parameters[i])
		}
	}
}

func ladder(hottest float64) func(*findings) {
	return func(f *findings) {
		f.report.Exchange = &summary.Exchange{Temperatures: []float64{1, 2, 4, hottest}, SwapRates: []float64{.5, .5,
			.5},
			RoundTrips: 5}
	}
}

func onLadder(change func(f *findings, x *summary.Exchange)) func(*findings) {
	return func(f *findings) {
		if f.report.Exchange != nil {
			change(f, f.report.Exchange)
		}
	}
}

// fitted returns a change of a run by an approximation (planar), which has no ladder.
func fitted(change func(r *store.SamplerReport)) func(*findings) {
	return func(f *findings) {
		if f.report.Exchange == nil {
			f.run.Sampler = "planar"
			change(&f.run.Report)
		}
	}
}

// fittedBy returns a change that gives a run by the family a poor fit.
func fittedBy(family string) func(*findings) {
	return func(f *findings) {
		fitted(func(r *store.SamplerReport) { r.ELBO, r.ParetoK = []float64{-3, -3}, .9 })(f)
		if f.report.Exchange == nil {
			f.run.Sampler = family
		}
	}
}

func effect(noncentered bool, width float64) func(*findings) {
	return func(f *findings) {
		f.effects = []types.Effect{{Name: "theta", Scale: "tau", NonCentered: noncentered}}
		each(func(p *summary.Parameter) {
			if p.Variable == "theta" {
				p.SD = 2 * width
			}
		})(f)
	}
}

func fromTheSampler(fact string, advice ...store.Advice) func(*findings) {
	return func(f *findings) {
		f.run.Report.Warnings = append(f.run.Report.Warnings, store.Warning{Fact: fact, Advice: advice})
	}
}

// facts returns the facts that rules depend on. Facts that set a ladder come first, since other facts modify it.
func facts() []fact {
	return []fact{
		{"a ladder", ladder(8)},
		{"a ladder to the prior", ladder(math.Inf(1))},
		{"the longest ladder", func(f *findings) {
			ladder(8)(f)
			x := f.report.Exchange
			for len(x.Temperatures) < 64 {
				x.Temperatures, x.SwapRates = append(x.Temperatures, 9), append(x.SwapRates, .5)
			}
		}},
		{"accept=0.95", func(f *findings) { f.settings.Accept = .95 }},
		{"accept=0.999", func(f *findings) { f.settings.Accept = .999 }},
		{"max_depth=12", func(f *findings) { f.settings.MaxDepth = 12 }},
		{"max_depth=20", func(f *findings) { f.settings.MaxDepth = 20 }},
		{"step_size=0.2", func(f *findings) { f.settings.StepSize, f.run.Report.StepSize = .2, .2 }},
		{"a thermostat", func(f *findings) { f.run.Report.Dynamics, f.run.Report.StepSize = "sgnht", .2 }},
		{"batch=256", func(f *findings) { f.run.Report.Batch = 256 }},
		{"by nuts", func(f *findings) { f.run.Sampler = "nuts" }},
		{"interrupted", func(f *findings) { f.run.Status = store.Interrupted }},
		{"killed", func(f *findings) { f.run.Status = store.Killed }},
		{"running", func(f *findings) { f.run.Status = store.Running }},
		{"few draws", func(f *findings) { f.run.Draws = 40 }},
		{"one chain", func(f *findings) { f.report.Chains = 1 }},
		{"NaN", func(f *findings) { f.parameters[0].NonFinite = 5 }},
		{"improper", func(f *findings) { f.parameters[0].Mean, f.parameters[0].RHat = 1e12, 2 }},
		{"constant", func(f *findings) { f.parameters[0].Constant, f.parameters[0].RHat = true, math.NaN() }},
		{"at an end", func(f *findings) {
			f.parameters[0].Summary = stats.Summary{Constant: true, RHat: math.NaN()}
		}},
		{"R-hat", each(func(p *summary.Parameter) { p.RHat = 1.05 })},
		{"low", each(func(p *summary.Parameter) { p.ESSBulk, p.ESSTail = 200, 150 })},
		{"very low", each(func(p *summary.Parameter) { p.ESSBulk, p.ESSTail = 12, 9 })},
		{"below the goal", each(func(p *summary.Parameter) { p.ESSBulk, p.ESSTail = 700, 600 })},
		{"no diagnostics", each(func(p *summary.Parameter) { p.RHat, p.ESSBulk = math.NaN(), math.NaN() })},
		{"heavy tails", func(f *findings) { f.parameters[1].TailShape = 1.2 }},
		{"chains apart", func(f *findings) { f.disputes = []dispute{{"theta[1]", []float64{1, 9}, 40}} }},
		{"exchangeable", func(f *findings) { f.exchangeable = []string{"theta"} }},
		{"walkers apart", onLadder(func(f *findings, _ *summary.Exchange) {
			f.apart = apart{"theta[1]", stats.Distance{Deviations: 2, Errors: 30}}
		})},
		{"a wide centred effect", effect(false, .9)},
		{"a narrow effect off centre", effect(true, .05)},
		{"a wide effect off centre", effect(true, .9)},
		{"coordinates chosen", func(f *findings) { f.run.Report.Centring = map[string]int{"theta": 1} }},
		{"divergences", func(f *findings) { f.report.Divergences = 300 }},
		{"a part is missing", func(f *findings) {
			f.run.Report.Outlooks = []store.Outlook{{Parameter: "tau", Value: .1, Expected: .02, Error: .001}}
		}},
		{"not finite", func(f *findings) {
			f.run.Report.NotFinite, f.run.Report.NonFiniteTerms = 300, []types.NonFiniteTerm{{Part: "y ~ Normal"}}
		}},
		{"low energy", func(f *findings) { f.run.Report.EBFMI, f.energyESS = []float64{.1, .2, .3, .4}, 50 }},
		{"cut trees", func(f *findings) { f.run.Report.Saturated = 3000 }},
		{"a poor fit", fitted(func(r *store.SamplerReport) { r.ELBO, r.ParetoK = []float64{-3, -3}, .9 })},
		{"fitted with correlations", fittedBy("fullrank")},
		{"fitted by a flow", fittedBy("flow")},
		{"several modes", fitted(func(r *store.SamplerReport) {
			r.ELBO, r.Elsewhere = []float64{-3, -3}, &store.Elsewhere{Walkers: 16, Apart: true}
		})},
		{"unequal fits", fitted(func(r *store.SamplerReport) { r.ELBO = []float64{-3, -9} })},
		{"no round trip", onLadder(func(_ *findings, x *summary.Exchange) { x.RoundTrips = 0 })},
		{"rare swaps", onLadder(func(_ *findings, x *summary.Exchange) { x.SwapRates = []float64{.5, .01, .5} })},
		{"unsettled", onLadder(func(f *findings, _ *summary.Exchange) { f.run.Report.Halves = []float64{4, 2} })},
		{"a bottleneck", onLadder(func(f *findings, _ *summary.Exchange) {
			f.run.Report.Rungs.Upward = []float64{1, 1, .1, 0}
		})},
		{"hot thermostat", func(f *findings) {
			f.run.Report.Rungs.Thermostat, f.run.Report.Rungs.Injected = []float64{.5}, []float64{.1}
		}},
		{"heavy noise", func(f *findings) { f.run.Report.NoiseNormal, f.run.Report.Batch = .6, 256 }},
		{"hot positions", func(f *findings) {
			f.run.Report.Positions = store.PositionTemperature{Value: 1.3, Error: .01, Noise: .2}
		}},
		{"hot in warm-up", fromTheSampler("Hot.", store.SmallerSteps(0.2), store.LargerBatches(256),
			store.Advice{Do: store.Choose, On: "dynamics", To: "nosehoover"})},
		{"skewed swaps", fromTheSampler("Skewed.", store.Advice{Do: store.Raise, On: "exchange_batch"})},
		{"a short warm-up", fromTheSampler("Short.", longerWarmup())},
		{"a tiny step", fromTheSampler("Tiny.", store.Advice{Do: store.Confine, On: "scales"})},
	}
}

// withFacts returns the findings about a run with these facts.
func withFacts(some []fact) *findings {
	f := soundFindings()
	for _, x := range some {
		x.change(f)
	}
	f.judged = f.parameters
	return f
}

func (f *findings) topicsOf(rows []topic) []summary.Topic {
	return f.diagnose(append(slices.Clone(rows), fromSampler(f.run.Report.Warnings)))
}

// advice returns the advice of all warnings.
func (f *findings) advice() (all []store.Advice) {
	warnings, _ := ranked(f.topicsOf(topics()))
	for _, w := range warnings {
		all = append(all, w.Advice...)
	}
	return all
}

// sets yields all sets of one to three facts, and 20,000 random sets of any size.
func sets() iter.Seq[[]fact] {
	all := facts()
	return func(yield func([]fact) bool) {
		for i := range len(all) * len(all) * len(all) {
			set := []int{i % len(all), i / len(all) % len(all), i / len(all) / len(all)}
			if slices.IsSorted(set) && !yield(pick(all, func(n int) bool { return slices.Contains(set, n) })) {
				return
			}
		}
		r := rand.New(rand.NewPCG(21, 8))
		for range 20_000 {
			share := r.Float64()
			if !yield(pick(all, func(int) bool { return r.Float64() < share })) {
				return
			}
		}
	}
}

func pick(all []fact, take func(n int) bool) (some []fact) {
	for n, x := range all {
		if take(n) {
			some = append(some, x)
		}
	}
	return some
}

func namesOf(some []fact) string {
	var names []string
	for _, x := range some {
		names = append(names, x.name)
	}
	return strings.Join(names, ", ")
}

// TestAdviceDoesNotContradictItself checks that no set of facts brings contradictory advice, and that the sets bring
// every kind of advice.
func TestAdviceDoesNotContradictItself(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	seen, found, advised := 0, 0, map[store.Action]int{}
	for some := range sets() {
		seen++
		f := withFacts(some)
		for _, a := range f.advice() {
			advised[a.Do]++
		}
		for _, c := range contradictions(f.topicsOf(topics())) {
			if found++; found <= 10 {
				t.Errorf("%s: %s", namesOf(some), c)
			}
		}
	}
	for _, action := range []store.Action{store.Raise, store.Lower, store.Choose, store.Center, store.Shift,
		store.Order, store.Confine, store.Repair, store.Rewrite, store.Continue} {
		if advised[action] == 0 {
			t.Errorf("no set of facts brings the advice to %s something", action)
		}
	}
	t.Logf("%d sets of facts, advice %v", seen, advised)
}

// TestContradictionsAreFound checks that contradictions finds planted contradictions: added rules that contradict
// others, and rules that all have the depth theModel.
func TestContradictionsAreFound(t *testing.T) {
	advise := func(a store.Advice) topic {
		return topic{"planted", func(*findings) string { return "" }, []rule{{func(*findings) store.Warning {
			return store.Warning{Fact: "Planted.", Advice: []store.Advice{a}}
		}, theModel, false}}}
	}
	flat := topics()
	for i := range flat {
		for j := range flat[i].rules {
			flat[i].rules[j].about = theModel
		}
	}
	for name, rows := range map[string][]topic{
		"fewer draws":    append(flat, advise(store.Advice{Do: store.Lower, On: "draws"})),
		"one rung":       append(flat, advise(store.Advice{Do: store.Lower, On: "replicas"})),
		"another number": append(flat, advise(store.Advice{Do: store.Raise, On: "replicas", To: "99"})),
		"other sampler":  append(flat, advise(store.Advice{Do: store.Choose, On: "sampler", To: "nuts"})),
		"centred":        append(flat, advise(store.Advice{Do: store.Center, On: "theta"})),
		"one depth":      flat,
	} {
		found := false
		for some := range sets() {
			if found = len(contradictions(withFacts(some).topicsOf(rows))) > 0; found {
				break
			}
		}
		if !found {
			t.Errorf("%s: no contradiction is found", name)
		}
	}
}

// TestCoordinatesOfEffects checks that a change of coordinates is advised only for an effect with other coordinates
// whose coordinates the sampler has not chosen.
func TestCoordinatesOfEffects(t *testing.T) {
	for some := range sets() {
		f := withFacts(some)
		for _, a := range f.advice() {
			if a.Do != store.Shift && a.Do != store.Center {
				continue
			}
			_, chosen := f.run.Report.Centring[a.On]
			if len(f.effects) == 0 || chosen || f.effects[0].NonCentered == (a.Do == store.Shift) {
				t.Errorf("%s: %s", namesOf(some), a.Text)
			}
		}
	}
}

// followed reports whether the advice has already been followed or cannot be followed: some setting in its text has no
// new value in its range, or the text names only the sampler of the run.
func followed(a store.Advice, f *findings) bool {
	s, r, rungs := f.settings, f.run.Report, 1.
	if x := f.report.Exchange; x != nil {
		rungs = float64(len(x.Temperatures))
	}
	news := false
	for _, m := range regexp.MustCompile(`--set (\w+)=([\d.e-]*\d)`).FindAllStringSubmatch(a.Text, -1) {
		x, _ := strconv.ParseFloat(m[2], 64)
		switch m[1] {
		case "accept":
			news = x > s.Accept && x <= .999 && s.StepSize == 0 && (r.Dynamics == "" || r.Dynamics == "hmc")
		case "max_depth":
			news = x > max(10, float64(s.MaxDepth)) && x <= 20
		case "step_size":
			news = r.StepSize == 0 || x < float64(r.StepSize)
		case "batch":
			news = x > float64(r.Batch)
		case "replicas":
			news = x > rungs && x <= 64
		case "ratio":
			continue
		}
		if !news {
			return true
		}
	}
	family := regexp.MustCompile(`--sampler (\w+)`).FindStringSubmatch(a.Text)
	return !news && family != nil && family[1] == f.run.Sampler
}

// TestAdviceIsNotFollowedAlready checks that no run gets advice that it has already followed, and that followed
// recognises such advice after the settings are changed.
func TestAdviceIsNotFollowedAlready(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	found, planted := 0, 0
	for some := range sets() {
		f := withFacts(some)
		advice := f.advice()
		for _, a := range advice {
			if followed(a, f) {
				if found++; found <= 10 {
					t.Errorf("%s: %s", namesOf(some), a.Text)
				}
			}
		}
		f.settings.Accept, f.settings.MaxDepth = .999, 20
		if slices.ContainsFunc(advice, func(a store.Advice) bool { return followed(a, f) }) {
			planted++
		}
	}
	if planted == 0 {
		t.Error("advice that was followed is not found")
	}
}
