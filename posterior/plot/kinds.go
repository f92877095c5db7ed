package plot

import (
	"fmt"
	"strings"

	"ppl/lang/diag"
	"ppl/posterior/quantities"
	"ppl/posterior/store"
)

// A Kind is a kind of figure.
type Kind struct {
	Name string
	Doc  string
	part part // selects the draws of a long run to show
	draw func(r *store.Run, o Options) (Picture, error)
}

// Kinds returns the table of figures.
func Kinds() []Kind {
	return []Kind{
		{"trace", "draws of each chain along the run, with their densities", spread, drawTrace},
		{"rank", "ranks of each chain's draws among all: level if chains agree", spread, drawRank},
		{"density", "density of each quantity", spread, drawDensity},
		{"histogram", "histogram of each quantity", spread, drawHistogram},
		{"pairs", "each quantity against each other, divergences marked", sparse, drawPairs},
		{"forest", "intervals with 50 and 95 % of the draws, one line for each quantity", spread, drawForest},
		{"autocorrelation", "correlation of draws with later ones, by chain", consecutive, drawAutocorrelation},
		{"energy", "energies, and their changes from draw to draw: similar if momentum resampling is effective",
			consecutive, drawEnergy},
		{"ess", "effective sample size from more and more of the draws", spread, drawESS},
		{"ppc", "data and replicates of them: densities, or frequencies of whole numbers",
			spreadReplicates, drawPredictive},
		{"ppc-stat", "mean, sd, least and greatest of the data among those of replicates",
			spreadReplicates, drawPredictiveStatistics},
		{"ppc-group", "means of the data by group (the last name) and those of replicates",
			spreadReplicates, drawPredictiveGroups},
		{"loo-pit", "ranks of left-out rows among their predictions: level if predictions are calibrated",
			allDraws, drawPIT},
		{"calibration", "predicted probabilities against frequencies, or the mass of intervals against their coverage",
			spreadReplicates, drawCalibration},
		{"prior", "prior against posterior of each quantity", spread, drawPrior},
		{"ladder", "flow of replicas along the temperatures, swap rates, and the curve whose area is the log evidence",
			allDraws, drawLadder},
	}
}

// Draw returns the figure of the given kind.
func Draw(r *store.Run, kind string, o Options) (Picture, error) {
	var names []string
	for _, k := range Kinds() {
		if k.Name != kind {
			names = append(names, k.Name)
			continue
		}
		if r.Info.Draws == 0 {
			return Picture{}, quantities.Unusable{Reason: r.Dir + ": not every chain has draws yet"}
		}
		some, note := k.part(r)
		p, err := k.draw(some, o)
		if note != "" {
			p.Notes = append(p.Notes, note)
		}
		if err == nil && p.Title == "" {
			p.Title = fmt.Sprintf("%s · %s", r.Dir, kind)
		}
		return p, err
	}
	return Picture{}, quantities.Unusable{Reason: fmt.Sprintf("there is no picture %q; %s", kind,
		diag.MeantAmong(names, "%s", kind, "there are "+strings.Join(names, ", ")))}
}
