package stdlib

import (
	"slices"
	"testing"

	"ppl/lang/types"
)

func TestSignatures(t *testing.T) {
	for name, want := range map[string][]string{
		"Normal":      {"Normal(mu, sd)", "Normal(mu, var = …)", "Normal(mu, precision = …)"},
		"NegBinomial": {"NegBinomial(mean, size)", "NegBinomial(log = …, size)"},
		"Flat":        {"Flat"},
	} {
		if got := Dists()[name].Signatures(); !slices.Equal(got[:len(want)], want) {
			t.Errorf("%s is written %q, want %q first", name, got, want)
		}
	}
	if got := Funcs()["atan2"].Signature(); got != "atan2(y, x)" {
		t.Errorf("atan2 is called %s", got)
	}
}

func TestDomainsInWords(t *testing.T) {
	for _, c := range []struct {
		d    Domain
		want string
	}{
		{realDomain, "real"},
		{posDomain, "positive"},
		{nonnegDomain, "0 or more"},
		{unitDomain, "between 0 and 1"},
		{openUnit, "above 0 and at most 1"},
		{intDomain, "an integer"},
		{countDomain, "an integer, 0 or more"},
		{Domain{types.IntRange, 0, 1}, "0 or 1"},
		{Domain{types.Interval, -1, 2.5}, "in -1..2.5"},
		{Domain{types.Simplex, 0, 1}, "a simplex"},
		{Domain{types.Correlation, -inf, inf}, "a correlation matrix"},
	} {
		if got := c.d.String(); got != c.want {
			t.Errorf("%v is in words %q, want %q", c.d, got, c.want)
		}
	}
}
