package modesearch

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/infer/adapt"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// jumpStatistics counts jumps. A jump moves a walker at temperature 1 from its mode to the same relative position in
// another mode (Pompe, Holmes and Łatuszyński, "A framework for adaptive MCMC targeting multimodal distributions",
// Annals of Statistics 48, 2020, deterministic jumps). With means m and roots R of the precisions of modes i and k,
//
//	y = m_k + R_k⁻¹ R_i (x − m_i), accepted with probability min(1, π(y)/π(x) · |R_i|/|R_k|),
//
// A jump is rejected if y is not in mode k, so that the reverse jump has the same probability. Modes are fixed before
// draws are collected, so jumps preserve the target. A jump costs one density and needs no ladder. If modes are far
// from normal, few jumps are accepted.
type jumpStatistics struct{ Tried, Accepted int }

// A Mode is a mode found by warm-up or by a search, separated from the others by barriers.
type Mode struct {
	At     []float64    // highest known position
	Height float64      // log density at At
	Normal adapt.Normal // normal approximation
	Mass   float64      // log of the integral of the density, under this approximation
	Ridge  bool         // whether it has no single peak; then points of the normal may be outside the mode
}

// newMode returns the mode of walkers' positions, with a normal of their mean and covariance. The log density of a
// normal has a median lower than its maximum by half the median of a chi-squared distribution. The height of the peak,
// and from it the mass, are estimated from this. ok is false if the walkers did not move.
func newMode(heights []float64, places [][]float64) (m Mode, ok bool) {
	n, ok := adapt.FitNormal(places, nil)
	if !ok {
		return m, false
	}
	best, d := slices.Index(heights, slices.Max(heights)), float64(len(places[0]))
	chiSquared := d * math.Pow(1-2/(9*d), 3) // median, by Wilson and Hilferty
	return Mode{At: places[best], Height: heights[best], Normal: n,
		Mass: stats.Quantile(heights, 0.5) + chiSquared/2 + n.LogVolume()}, true
}

// Nearest returns the mode that most likely contains a position, if each mode is its normal.
func Nearest(modes []Mode, x []float64) (at int) {
	best := math.Inf(-1)
	for k, m := range modes {
		if sum := m.Mass - m.Normal.LogVolume() - m.Normal.Distance(x)/2; sum > best {
			at, best = k, sum
		}
	}
	return at
}

// within reports whether a position is plausible as a draw from the mode.
func (m *Mode) within(x []float64) bool { return m.Normal.Around(x) }

// ModeShares returns the share of each mode in the sum of the modes' estimated masses.
func ModeShares(modes []Mode) []float64 {
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

// notableShare is the estimated share of the mass at which a run warns that a mode was never visited. Estimates from
// the few walkers of warm-up may be wrong by some factors.
const notableShare = 0.1

// enoughDraws is the expected number of draws in a mode at which the run warns that it has none. It is large because
// draws are correlated.
const enoughDraws = 50

// A VisitCount counts draws by known modes.
type VisitCount struct {
	Path   [][]uint8 // the mode that most likely contains each draw, indexed by chain and draw
	Within []int     // number of draws that are plausible in each mode; modes may overlap
	Inside int       // number of draws that are plausible in any mode
}

// draws returns the number of draws of all chains.
func (v *VisitCount) draws() (n int) {
	for _, path := range v.Path {
		n += len(path)
	}
	return n
}

// A modeShare is the share of the draws in a mode, with its Monte Carlo standard error.
type modeShare struct{ mean, mcse float64 }

// shares returns the share of the draws in each mode.
func (v *VisitCount) shares(modes int) []modeShare {
	var out []modeShare
	for k := range modes {
		chains, sum := make([][]float64, len(v.Path)), 0.0
		for c, path := range v.Path {
			for _, at := range path {
				in := population.OneIf(int(at) == k)
				chains[c], sum = append(chains[c], in), sum+in
			}
		}
		out = append(out, modeShare{sum / float64(v.draws()), stats.MCSEMean(chains)})
	}
	return out
}

// missedMode returns the index of a mode that the draws should have visited but did not, or −1. Shares are relative to
// the known modes.
func missedMode(modes []Mode, v *VisitCount) int {
	for k, share := range ModeShares(modes) {
		if share >= notableShare && v.Within[k] == 0 && share/(1-share)*float64(v.Inside) >= enoughDraws {
			return k
		}
	}
	return -1
}

// shareText lists shares as text with their errors, the largest first. A share of 0 or 1 has no error.
func shareText(shares []modeShare) string {
	const most = 8
	slices.SortStableFunc(shares, func(a, b modeShare) int { return cmp.Compare(b.mean, a.mean) })
	words := make([]string, min(most, len(shares)))
	for i := range words {
		words[i] = fmt.Sprintf("%.2f", shares[i].mean)
		if e := shares[i].mcse; e > 0 {
			words[i] += fmt.Sprintf(" ± %.2g", e)
		}
	}
	if len(shares) > most {
		words = append(words, "…")
	}
	return strings.Join(words, ", ")
}

// CountVisits counts a draw in the mode that contains it, and stores its position for later searches.
func (c *Watch) CountVisits(lane int, place func(lane int, dst []float64)) {
	modes, searches := c.Known.state.Modes, c.Known.SearchesOn()
	if len(modes) == 0 && !searches {
		return
	}
	x, chain := make([]float64, c.Known.Walkers.Dim), lane/c.Known.Walkers.PerChain
	place(lane, x)
	x = c.Known.Image(x, lane)
	if searches {
		c.state.Search.keep(x)
	}
	if len(modes) == 0 {
		return
	}
	v := &c.state.Visits
	if v.Path == nil {
		v.Path, v.Within = make([][]uint8, c.Known.Walkers.Chains), make([]int, len(modes))
	}
	v.Path[chain] = append(v.Path[chain], uint8(Nearest(modes, x)))
	inside := false
	for k := range modes {
		if modes[k].within(x) {
			v.Within[k]++
			inside = true
		}
	}
	v.Inside += int(population.OneIf(inside))
}

// ReportModes reports the share of the draws in each known mode, and warns if a mode has none.
func (c *Watch) ReportModes() {
	r, modes, v := c.Known, c.Known.state.Modes, &c.state.Visits
	if len(modes) < 2 || v.draws() == 0 {
		return
	}
	jumps := ""
	if j := r.state.Jumps; j.Tried > 0 {
		jumps = fmt.Sprintf("; %.0f %% of jumps between them were accepted", 100*j.Rate())
	}
	r.Notef("%d modes were found; their shares of the draws are %s%s", len(modes), shareText(v.shares(len(modes))),
		jumps)
	k := missedMode(modes, v)
	if k < 0 {
		return
	}
	r.Warn(store.Warning{
		Fact: fmt.Sprintf("A mode was found that has a log density of %.4g at its peak and about %.0f %% of the "+
			"posterior, but no draw is in it.", modes[k].Height, 100*ModeShares(modes)[k]),
		Reason: "This share is that of a normal approximation, which may be wrong by some factors.",
		Advice: []store.Advice{{Do: store.Raise, On: "warmup",
			Text: "Take a longer warm-up (--warmup), so that more replicas find it."}}})
}

// Known holds the modes that a run has found, and moves walkers between them.
type Known struct {
	*part.Run
	state State
}

// State is the part of a checkpoint about modes.
type State struct {
	Modes    []Mode // empty unless walkers are known to be in several
	Searches int    // number of searches so far
	Jumps    jumpStatistics
}

// Name returns the name of the state in checkpoints.
func (r *Known) Name() string { return "modes" }

// State returns the state that checkpoints store.
func (r *Known) State() any { return &r.state }

// Modes returns the known modes. It is nil unless walkers are known to be in several.
func (r *Known) Modes() []Mode { return r.state.Modes }

// Remember replaces the known modes.
func (r *Known) Remember(modes []Mode) { r.state.Modes = modes }

// JumpCounts returns the counts of jumps between modes.
func (r *Known) JumpCounts() jumpStatistics { return r.state.Jumps }

// NewKnown returns a Known without modes.
func NewKnown(c *part.Run) *Known { return &Known{Run: c} }

// Rate returns the share of accepted jumps, or 0 if there were none.
func (j jumpStatistics) Rate() float64 { return float64(j.Accepted) / math.Max(float64(j.Tried), 1) }
