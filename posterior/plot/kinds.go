package plot

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/posterior/quantities"
	"ppl/posterior/store"
)

// Options select what a figure shows.
type Options struct {
	Names []string   // variables and elements to show, such as theta or theta[2]
	Prior *store.Run // run that sampled the prior, for kinds that compare with it
	// Evaluate returns the values of an expression at the draws of a run, indexed by element, chain and draw. It is
	// called for names that are not variables of the run. It may be nil, in which case only variables are accepted.
	Evaluate func(r *store.Run, expression string) (types.Variable, [][][]float64, error)
}

// A Kind is a kind of figure.
type Kind struct {
	Name string
	Doc  string
	part part // selects the draws of a long run to show
	draw func(r *store.Run, o Options) (Picture, error)
}

// A part selects some draws of a run. The note states which draws the figure shows; it is empty if it shows all.
type part func(r *store.Run) (some *store.Run, note string)

// mostDraws is the maximum number of draws (of all chains) in a figure. mostNumbers is the maximum number of values
// read for a figure of replicates.
const (
	mostDraws   = 1 << 17
	mostNumbers = 1 << 22
	mostPoints  = 1 << 14 // maximum number of draws in each panel of pairs
)

func allDraws(r *store.Run) (*store.Run, string) { return r, "" }

// spread returns a run with evenly spaced draws, at most mostDraws.
func spread(r *store.Run) (*store.Run, string) { return within(r, mostDraws) }

// sparse returns a run with fewer draws, for figures that draw a mark for each.
func sparse(r *store.Run) (*store.Run, string) { return within(r, mostPoints) }

// spreadReplicates returns a run with evenly spaced draws, such that all their replicates have at most mostNumbers
// values if possible.
func spreadReplicates(r *store.Run) (*store.Run, string) {
	width := 0
	for _, v := range r.Layout.Predictive {
		width += v.Size()
	}
	return within(r, min(mostDraws, max(1000, mostNumbers/max(1, width))))
}

func within(r *store.Run, most int) (*store.Run, string) {
	some, every := r.Within(most)
	if every == 1 {
		return r, ""
	}
	return some, fmt.Sprintf("One of every %d draws of each chain is looked at.", every)
}

// consecutive returns a run with the first draws of each chain, for figures that depend on successive draws.
func consecutive(r *store.Run) (*store.Run, string) {
	most := max(1000, mostDraws/max(1, r.Layout.Chains))
	if r.Info.Draws <= most {
		return r, ""
	}
	return r.First(most), fmt.Sprintf("The first %d draws of each chain are looked at.", most)
}

// Kinds returns the table of figures.
func Kinds() []Kind {
	return []Kind{
		{"trace", "draws of each chain along the run, with their densities", spread, drawTrace},
		{"rank", "ranks of each chain's draws among all: level where chains agree", spread, drawRank},
		{"density", "density of each quantity", spread, drawDensity},
		{"histogram", "histogram of each quantity", spread, drawHistogram},
		{"pairs", "each quantity against each other, divergences marked", sparse, drawPairs},
		{"forest", "intervals with 50 and 95 % of the draws, one line for each quantity", spread, drawForest},
		{"autocorrelation", "correlation of draws with later ones, by chain", consecutive, drawAutocorrelation},
		{"energy", "energies, and their changes from draw to draw: alike where momenta do their work",
			consecutive, drawEnergy},
		{"ess", "effective sample size from more and more of the draws", spread, drawESS},
		{"ppc", "data and replicates of them: densities, or frequencies of whole numbers",
			spreadReplicates, drawPredictive},
		{"ppc-stat", "mean, sd, least and greatest of the data among those of replicates",
			spreadReplicates, drawPredictiveStatistics},
		{"ppc-group", "means of the data by group (the last name) and those of replicates",
			spreadReplicates, drawPredictiveGroups},
		{"loo-pit", "where left-out rows lie in their predictions: level where predictions are right",
			allDraws, drawPIT},
		{"calibration", "predicted probabilities against frequencies, or intervals against how often they hold",
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
			return Picture{}, quantities.Unusable{Reason: r.Dir + " has no draws yet of every chain"}
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

// A quantity has one value per draw.
type quantity struct {
	name   string
	chains [][]float64
}

func (q quantity) all() []float64 { return slices.Concat(q.chains...) }

// isConstant reports whether all draws are equal.
func (q quantity) isConstant() bool {
	all := q.all()
	return len(all) > 0 && !slices.ContainsFunc(all, func(v float64) bool { return v != all[0] })
}

// quantitiesOf returns the draws of the named quantities, or of all that vary if there are no names. It returns at most
// most of them; a note gives the number omitted.
func quantitiesOf(r *store.Run, o Options, most int) (qs []quantity, notes []string, err error) {
	total, constant := 0, 0
	add := func(selected []quantities.Selected, err error) error {
		for _, s := range selected {
			total += len(s.Elements)
			if err != nil || len(qs) == most {
				continue
			}
			var chains [][]float64
			chains, err = r.Draws(s.Variable.Name)
			for _, i := range s.Elements {
				if len(qs) == most {
					break
				}
				q := quantity{s.Variable.Element(i), element(chains, i, s.Variable.Size())}
				if len(o.Names) == 0 && q.isConstant() { // for example, the reference level of a factor
					total, constant = total-1, constant+1
					continue
				}
				qs = append(qs, q)
			}
		}
		return err
	}
	if len(o.Names) == 0 {
		err = add(quantities.Select(r.Layout.Posterior, nil, r))
	}
	for _, name := range o.Names {
		selected, unknown := quantities.Select(r.Layout.Posterior, []string{name}, r)
		switch {
		case err != nil:
		case unknown == nil || o.Evaluate == nil:
			err = add(selected, unknown)
		default:
			var more []quantity
			if more, err = evaluated(r, name, o); err != nil && plainName.MatchString(name) {
				err = unknown // this error suggests similar names
			}
			total += len(more)
			qs = append(qs, more[:min(len(more), most-len(qs))]...)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	switch {
	case len(qs) > 0:
	case constant > 0:
		return nil, nil, quantities.Unusable{Reason: "all draws in " + r.Dir + " are equal; name what is to be drawn"}
	default:
		return nil, nil, quantities.Unusable{Reason: r.Dir + " saves nothing that could be drawn"}
	}
	if total > most {
		notes = append(notes, fmt.Sprintf("%d of %d quantities are drawn; name others.", most, total))
	}
	return qs, notes, nil
}

// plainName matches a variable or an element. If such a name is unknown, the error suggests similar names.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*( *\[[^]]*\])?$`)

// evaluated returns the elements of an expression as quantities.
func evaluated(r *store.Run, expression string, o Options) (qs []quantity, err error) {
	v, values, err := o.Evaluate(r, expression)
	if err != nil {
		return nil, err
	}
	if v.Name == "" {
		v.Name = expression
		if v.Size() > 1 {
			v.Name = "(" + expression + ")"
		}
	}
	for i, chains := range values {
		qs = append(qs, quantity{v.Element(i), chains})
	}
	return qs, nil
}

// element returns element i of every draw.
func element(chains [][]float64, i, size int) [][]float64 {
	out := make([][]float64, len(chains))
	for c, xs := range chains {
		for ; i < len(xs); xs = xs[size:] {
			out[c] = append(out[c], xs[i])
		}
	}
	return out
}

// eachQuantity draws one panel for each selected quantity.
func eachQuantity(r *store.Run, o Options, columns, most int, panel func(q quantity) Panel) (Picture, error) {
	qs, notes, err := quantitiesOf(r, o, most)
	if err != nil {
		return Picture{}, err
	}
	p := Picture{Columns: columns, Notes: notes}
	for _, q := range qs {
		p.Panels = append(p.Panels, panel(q))
	}
	return p, nil
}

// count returns 0, 1, …, n-1.
func count(n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = float64(i)
	}
	return xs
}
