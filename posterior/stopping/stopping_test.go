package stopping

import (
	"math"
	"strings"
	"testing"
	"time"

	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

func TestParse(t *testing.T) {
	g, err := Parse([]string{"ess=400, rhat=1.01", "gradients=1e9", "time=2h"})
	if want := (Goal{ESS: 400, RHat: 1.01, Gradients: 1e9, Time: 2 * time.Hour}); err != nil || g != want {
		t.Errorf("%+v, %v", g, err)
	}
	for text, says := range map[string]string{
		"ess=0": "above 0", "ess=-3": "above 0", "ess": "above 0", "ess=NaN": "above 0", "ess=inf": "above 0",
		"rhat=1": "above 1", "rhat=x": "above 1", "time=-1s": "duration", "time=5": "duration", "time=": "duration",
		"gradients=0": "above 0", "draws=5": "unknown criterion", "=4": "unknown criterion",
	} {
		if _, err := Parse([]string{text}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
	if g, err := Parse(nil); err != nil || !g.Empty() {
		t.Errorf("nothing asked: %+v, %v", g, err)
	}
}

func TestReached(t *testing.T) {
	good := Standing{Draws: 500, ESS: 410, RHat: 1.008, Gradients: 1e6, Seconds: 60}
	unknown := Standing{Draws: 2, ESS: math.NaN(), RHat: math.NaN()}
	for name, c := range map[string]struct {
		goal Goal
		at   Standing
		want bool
	}{
		"bulk":            {Goal{ESS: 400, Bulk: 1000}, Standing{Draws: 500, ESS: 410, Bulk: 1010}, true},
		"bulk too small":  {Goal{ESS: 400, Bulk: 1000}, Standing{Draws: 500, ESS: 410, Bulk: 990}, false},
		"both":            {Goal{ESS: 400, RHat: 1.01}, good, true},
		"effective size":  {Goal{ESS: 420, RHat: 1.01}, good, false},
		"R-hat":           {Goal{ESS: 400, RHat: 1.005}, good, false},
		"gradients":       {Goal{ESS: 9999, Gradients: 1e6}, good, true},
		"gradients left":  {Goal{Gradients: 2e6}, good, false},
		"time":            {Goal{RHat: 1.001, Time: time.Minute}, good, true},
		"time left":       {Goal{Time: time.Hour}, good, false},
		"nothing known":   {Goal{ESS: 10}, unknown, false},
		"no R-hat either": {Goal{RHat: 1.1}, unknown, false},
	} {
		if got := c.goal.Reached(c.at); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestNext checks the draws at which a goal is checked: 100, 120, 144 and so on, without those that are too few to
// reach the goal.
func TestNext(t *testing.T) {
	g := Goal{ESS: 400}
	for _, c := range []struct {
		at   Standing
		most int
		want int
	}{
		{Standing{}, 1000, 100},
		{Standing{}, 50, 50},
		{Standing{Draws: 100, ESS: 390}, 1000, 120},
		{Standing{Draws: 100, ESS: math.NaN()}, 1000, 120},
		{Standing{Draws: 100, ESS: 100}, 1000, 300},
		{Standing{Draws: 100, ESS: 1}, 1000, 1000},
		{Standing{Draws: 130, ESS: 399}, 1000, 144},
	} {
		if got := g.Next(c.at, c.most); got != c.want {
			t.Errorf("%+v: %d, want %d", c.at, got, c.want)
		}
	}
}

// TestExpected checks that the expected number of draws is proportional to the ratio of required and present effective
// sizes, and to the excess of R-hat above 1.
func TestExpected(t *testing.T) {
	for want, at := range map[float64]Standing{
		1000:        {Draws: 1000, ESS: 500, Bulk: 1200, RHat: 1.002, Energy: math.Inf(1)},
		2500:        {Draws: 1000, ESS: 500, Bulk: 400, RHat: 1.002, Energy: math.Inf(1)},
		4000:        {Draws: 1000, ESS: 500, Bulk: 1200, RHat: 1.04, Energy: math.Inf(1)},
		2000:        {Draws: 1000, ESS: 500, Bulk: 1200, RHat: 1.002, Energy: 200},
		math.Inf(1): {Draws: 10, ESS: math.NaN(), Bulk: math.NaN(), RHat: math.NaN()},
	} {
		if got := Aim().Expected(at); math.Abs(got-want) > 1e-6 && got != want {
			t.Errorf("%+v: %v draws, want %v", at, got, want)
		}
	}
}

// TestStandingOfWithoutStatistics checks that a quantity without statistics prevents a goal from being reached,
// whatever its position, and that constant quantities are ignored.
func TestStandingOfWithoutStatistics(t *testing.T) {
	nan := math.NaN()
	of := func(name string, s stats.Summary) summary.Parameter { return summary.Parameter{Name: name, Summary: s} }
	good := of("a", stats.Summary{ESSBulk: 900, ESSTail: 800, RHat: 1.001})
	worse := of("b", stats.Summary{ESSBulk: 500, ESSTail: 700, RHat: 1.002})
	none := of("c", stats.Summary{ESSBulk: nan, ESSTail: nan, RHat: nan})
	constant := of("d", stats.Summary{ESSBulk: nan, ESSTail: nan, RHat: nan, Constant: true})
	goal := Goal{ESS: 400, RHat: 1.01}
	for _, c := range []struct {
		all  []summary.Parameter
		want bool
	}{
		{[]summary.Parameter{good, worse}, true}, {[]summary.Parameter{constant, worse, good}, true},
		{[]summary.Parameter{none, good, worse}, false}, {[]summary.Parameter{good, none, worse}, false},
		{[]summary.Parameter{good, worse, none}, false}, {[]summary.Parameter{constant}, false},
	} {
		if s := standingOf(summary.Report{Draws: 1000, Parameters: c.all}, 0); goal.Reached(s) != c.want {
			t.Errorf("%v: %+v", c.all, s)
		}
	}
	w := summary.Report{Parameters: []summary.Parameter{none, good, worse}}.Worst()
	if w.ESS != 500 || w.ESSOf != "b" || w.RHat != 1.002 || w.RHatOf != "b" || w.Without != "c" {
		t.Errorf("worst is %+v", w)
	}
}

// TestStandingOfARareIndicator checks an indicator that is nearly always the same: it has no tail effective size, but
// its R-hat and bulk effective size count.
func TestStandingOfARareIndicator(t *testing.T) {
	good := summary.Parameter{Name: "a", Summary: stats.Summary{ESSBulk: 1900, ESSTail: 800, RHat: 1.001}}
	rare := summary.Parameter{Name: "b", Summary: stats.Summary{ESSBulk: 56, ESSTail: math.NaN(), RHat: 1.08}}
	at := standingOf(summary.Report{Draws: 1000, Parameters: []summary.Parameter{good, rare}}, 0)
	if at.RHat != 1.08 || at.ESS != 56 || at.Bulk != 56 || Aim().Reached(at) {
		t.Errorf("%+v", at)
	}
	rare.ESSBulk, rare.RHat = 1500, 1.002
	at = standingOf(summary.Report{Draws: 1000, Parameters: []summary.Parameter{good, rare}}, 0)
	if at.Energy = math.Inf(1); at.ESS != 800 || !Aim().Reached(at) {
		t.Errorf("%+v", at)
	}
}

// TestLackingIsShort checks that draws that lack modes do not reach the aim, however well they mix, that draws that
// lack less are nearer to it, and that more draws are expected to reduce the lack.
func TestLackingIsShort(t *testing.T) {
	aim := Aim()
	of := func(lacking float64) Standing {
		return Standing{Draws: 1000, ESS: 3000, Bulk: 3000, RHat: 1.001, Energy: math.Inf(1), Lacking: lacking}
	}
	whole, some, much := of(.01), of(.03), of(.3)
	if !aim.Reached(whole) || aim.Reached(some) || !aim.Nearer(some, much) || aim.Nearer(much, whole) {
		t.Error("lacking draws count as good")
	}
	if n := aim.Expected(some); math.Abs(n-1500) > 1e-9 {
		t.Errorf("%v draws expected, want 1500", n)
	}
	if said := aim.Describe(much); !strings.Contains(said, "30 % of the target") {
		t.Error(said)
	}
}

// TestStandingWithinLimits checks that a goal with limits only does not read draws: the run of this test has none.
func TestStandingWithinLimits(t *testing.T) {
	run := &store.Run{Info: store.Info{Draws: 7, Report: store.SamplerReport{Gradients: 90, Seconds: 2}}}
	at, err := Goal{Gradients: 100, Time: time.Minute}.Standing(run)
	if err != nil || at.Draws != 7 || at.Gradients != 90 || at.Seconds != 2 || !math.IsNaN(at.ESS) {
		t.Errorf("%+v, %v", at, err)
	}
}
