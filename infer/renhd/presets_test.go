package renhd

import (
	"context"
	"math"
	"testing"

	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// TestPresets checks that every preset samples a normal target with standard deviations 1 and .01, from starts up to a
// hundred standard deviations away. Standard deviations must be right within 5 %, for the bias of the steps, plus five
// standard errors.
func TestPresets(t *testing.T) {
	for _, p := range Presets() {
		sd := []float64{1, 0.01}
		if p.Name == "renhd-paper" {
			sd[1] = 0.5 // it adapts nothing
		}
		o, m := renhdtest.Options(9), new(memory)
		o.Warmup, o.Draws, o.Thin = 300, 500, 1
		if _, err := p.Sample(context.Background(), dynamicstest.Normal(sd...), o, m); err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		for j := range sd {
			s := stats.Summarize(m.chains(j))
			bound := 0.05 + 5*stats.MCSESD(m.chains(j))/sd[j]
			if off := math.Abs(s.SD/sd[j] - 1); !(off < bound) || math.Abs(s.Mean) > 5*s.MCSEMean {
				t.Errorf("%s: x[%d] has mean %.4g ± %.4g and sd %.4g, want 0 and %g to %.2g of it", p.Name, j, s.Mean,
					s.MCSEMean, s.SD, sd[j], bound)
			}
		}
	}
}

// TestDynamicsByName checks that each name in the table of dynamics belongs to one rule, and that each preset has the
// name of a rule or is renhd.
func TestDynamicsByName(t *testing.T) {
	seen := map[string]bool{"renhd": true}
	for _, name := range dynamics.Names() {
		if rule := dynamics.Named(name); rule == nil || rule.Name() != name || seen[name] {
			t.Errorf("%s: rule %v, seen before: %v", name, rule, seen[name])
		}
		seen[name] = true
	}
	for _, p := range Presets() {
		if !seen[p.Name] {
			t.Errorf("sampler %s has no dynamics", p.Name)
		}
	}
}
