package ranks

import "testing"

// TestCrowdedHosts checks that a host with more ranks than cores is reported, and that ranks with separate cores, on
// two hosts, or with unknown cores are not.
func TestCrowdedHosts(t *testing.T) {
	two := []int{0, 1}
	for name, c := range map[string]struct {
		places []Place
		want   string
	}{
		"three on two":      {[]Place{{"a", two}, {"a", two}, {"a", two}}, "3 ranks share 2 cores of a"},
		"two on two":        {[]Place{{"a", two}, {"a", two}}, ""},
		"bound to cores":    {[]Place{{"a", []int{0}}, {"a", []int{1}}}, ""},
		"bound to one core": {[]Place{{"a", []int{0}}, {"a", []int{0}}}, "2 ranks share 1 cores of a"},
		"two hosts": {[]Place{{"b", two}, {"a", two}, {"b", []int{3}}, {"a", two}, {"a", two}},
			"3 ranks share 2 cores of a"},
		"unknown": {[]Place{{"a", nil}, {"a", nil}}, ""},
	} {
		if got := CrowdedHosts(c.places); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
