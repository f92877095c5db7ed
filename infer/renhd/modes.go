package renhd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

// A mode is a place that warm-up has found, apart from others, and that is remembered to the end of the run.
type mode struct {
	At     []float64 // the place with the highest log density that a walker there has visited
	Height float64   // the log density there
	Spread []float64 // curvature: standard deviations of the coordinates around it
	Mass   float64   // logarithm of what the mode holds of the target, estimated, up to a constant
}

// rememberModes keeps the modes that the walkers of windows are in: the groups of those between which no barrier lies.
// Where there is one only, there is nothing to remember.
func (r *run) rememberModes(windows ...*windowState) error {
	var density [][]float64
	var visited [][][]float64
	for _, w := range windows {
		density, visited = append(density, w.Density...), append(visited, w.Visited...)
	}
	r.state.Modes = nil
	if len(visited) == 0 || len(visited[0]) == 0 || len(visited[0][0]) < r.walkers.dim {
		return nil // positions were not kept whole
	}
	centers, err := r.centersOf(windows)
	if err != nil || len(centers) == 0 {
		return err
	}
	groups, err := r.groups(centers)
	if err != nil || len(groups) < 2 {
		return err
	}
	for _, g := range groups {
		var heights []float64
		var places [][]float64
		for _, i := range g {
			half := len(visited[i]) / 2
			heights, places = append(heights, density[i][half:]...), append(places, visited[i][half:]...)
		}
		r.state.Modes = append(r.state.Modes, newMode(heights, places))
	}
	return nil
}

func newMode(heights []float64, places [][]float64) mode {
	best := slices.Index(heights, slices.Max(heights))
	m := mode{At: places[best], Height: heights[best], Mass: adapt.Surroundings(heights, places)}
	for j := range m.At {
		m.Spread = append(m.Spread, stat.PopStdDev(coordinate([][][]float64{places}, j)[0], nil))
	}
	return m
}

// nearest is the mode in which a position is most likely, if each is a normal with its spreads.
func nearest(modes []mode, x []float64) (at int) {
	best := math.Inf(-1)
	for k, m := range modes {
		sum := m.Mass
		for j, s := range m.Spread {
			if s > 0 {
				z := (x[j] - m.At[j]) / s
				sum -= math.Log(s) + z*z/2
			}
		}
		if sum > best {
			at, best = k, sum
		}
	}
	return at
}

// within reports whether a position is where draws from the mode could be: squared distances in spreads have a mean of
// dim, and correlated coordinates vary more than independent ones.
func (m *mode) within(x []float64) bool {
	const times, more = 3, 12
	sum := 0.0
	for j, s := range m.Spread {
		if s > 0 {
			sum += (x[j] - m.At[j]) * (x[j] - m.At[j]) / (s * s)
		}
	}
	return sum <= times*float64(len(m.Spread))+more
}

// modeShares are what the modes hold of the target by their masses.
func modeShares(modes []mode) []float64 {
	most, sum := math.Inf(-1), 0.0
	for _, m := range modes {
		most = math.Max(most, m.Mass)
	}
	shares := make([]float64, len(modes))
	for k, m := range modes {
		shares[k] = math.Exp(m.Mass - most)
		sum += shares[k]
	}
	for k := range shares {
		shares[k] /= sum
	}
	return shares
}

// notableShare is what a mode has to hold by its estimated mass for a run to warn that it was never visited. The
// estimate, from a few walkers of warm-up, may be wrong by some factors.
const notableShare = 0.1

// enoughDraws is how many draws a mode should have before its having none means something: draws are correlated.
const enoughDraws = 50

// A visitCount counts draws by the modes that warm-up found.
type visitCount struct {
	Draws  int
	In     []int // by mode: draws that are more likely in it than in others
	Within []int // by mode: draws that could be in it; modes may overlap
}

// missedMode is a mode that the draws should have visited and have not, or −1.
func missedMode(modes []mode, v *visitCount) int {
	for k, share := range modeShares(modes) {
		if share >= notableShare && v.Within[k] == 0 && share*float64(v.Draws) >= enoughDraws {
			return k
		}
	}
	return -1
}

// sharesOf lists the shares of the draws in modes, the largest first.
func sharesOf(visits []int) string {
	const most = 8
	total, shares := 0.0, []float64{}
	for _, n := range visits {
		total += float64(n)
	}
	for _, n := range visits {
		shares = append(shares, float64(n)/total)
	}
	slices.Sort(shares)
	slices.Reverse(shares)
	words := make([]string, min(most, len(shares)))
	for i := range words {
		words[i] = fmt.Sprintf("%.2f", shares[i])
	}
	if len(shares) > most {
		words = append(words, "…")
	}
	return strings.Join(words, ", ")
}

// countVisits counts a draw for the mode that it is in.
func (c *drawCollector) countVisits(lane int) {
	modes := c.run.state.Modes
	if len(modes) == 0 {
		return
	}
	v := &c.state.Visits
	if v.In == nil {
		v.In, v.Within = make([]int, len(modes)), make([]int, len(modes))
	}
	x := make([]float64, c.run.walkers.dim)
	c.run.walkers.exe.GetLane(dynamics.Theta, lane, x)
	v.Draws++
	v.In[nearest(modes, x)]++
	for k := range modes {
		v.Within[k] += int(oneIf(modes[k].within(x)))
	}
}

// reportModes says which shares of the draws are in the modes that warm-up found, and warns of one that has none.
func (c *drawCollector) reportModes() {
	r, modes := c.run, c.run.state.Modes
	if len(modes) < 2 || c.state.Visits.Draws == 0 {
		return
	}
	r.notef("warm-up found %d places with barriers between; they have %s of the draws", len(modes),
		sharesOf(c.state.Visits.In))
	k := missedMode(modes, &c.state.Visits)
	if k < 0 {
		return
	}
	r.warnf("warm-up found a mode with a log density of %.4g and about %.0f %% of the posterior, in which there is no "+
		"draw: its weight is not known; a longer warm-up (--warmup) lets more replicas find it", modes[k].Height,
		100*modeShares(modes)[k])
}
