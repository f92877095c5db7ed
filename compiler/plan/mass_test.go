package plan_test

import (
	"math"
	"testing"

	"ppl/compiler"
)

func TestOrders(t *testing.T) {
	for _, c := range []struct {
		text, unknown string
		log           float64
	}{
		{"a ~ Normal(0, 1)", "", 0},
		{"m[k in 1..3] ~ Normal(0, 1) ordered", "", math.Log(6)},
		{"s ~ HalfNormal(1)\nm[g in 1..2, k in 1..4] ~ Normal(g, s) ordered", "", 2 * math.Log(24)},
		{"m[k in 1..3] ~ Normal(k, 1) ordered", "m", 0},
		{"a ~ Normal(0, 1)\nb ~ Density(-b^2)", "b", 0},
		{"a ~ Flat()", "a", 0},
	} {
		p, ds := compiler.Load(compiler.Request{Path: "m.ppl", Text: c.text})
		if p == nil {
			t.Fatal(c.text, ds)
		}
		log := 0.0
		for _, o := range p.Orders() {
			log += o.Log
		}
		if unknown := p.UnknownMass(); unknown != c.unknown || math.Abs(log-c.log) > 1e-12 {
			t.Errorf("%s: %v, %q; want %v, %q", c.text, log, unknown, c.log, c.unknown)
		}
	}
}
