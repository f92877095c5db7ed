package ranks

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Place describes where a rank runs.
type Place struct {
	Host  string
	Cores []int // cores that the rank may run on; nil if they are not known
}

// CrowdedHosts describes the hosts on which more ranks run than there are cores for them; empty if there are none. A
// launcher may assign separate cores to each rank, so the cores of a host are those of all its ranks together.
func CrowdedHosts(places []Place) string {
	count, cores := map[string]int{}, map[string]map[int]bool{}
	for _, p := range places {
		count[p.Host]++
		if cores[p.Host] == nil {
			cores[p.Host] = map[int]bool{}
		}
		for _, c := range p.Cores {
			cores[p.Host][c] = true
		}
	}
	var said []string
	for _, host := range slices.SortedFunc(maps.Keys(count), cmp.Compare[string]) {
		if n := len(cores[host]); n > 0 && count[host] > n {
			said = append(said, fmt.Sprintf("%d ranks share %d cores of %s", count[host], n, host))
		}
	}
	return strings.Join(said, ", ")
}
