package plot

import (
	"fmt"
	"regexp"
	"slices"

	"ppl/lang/types"
	"ppl/posterior/loo"
	"ppl/posterior/quantities"
	"ppl/posterior/store"
)

// Options select what a figure shows.
type Options struct {
	Names []string   // variables and elements to show, such as theta or theta[2]
	Prior *store.Run // run that sampled the prior, for kinds that compare with it
	// LeftOut is what loo.CrossValidate returns for the run's only array of observed rows, if this is known already.
	LeftOut *loo.Result
	// Evaluate returns the values of an expression at the draws of a run, indexed by element, chain and draw. It is
	// called for names that are not variables of the run. It may be nil, in which case only variables are accepted.
	Evaluate func(r *store.Run, expression string) (types.Variable, [][][]float64, error)
}

// A series is the draws of one quantity with its name. Unlike a quantities.Quantity, it may be the value of an
// expression, and it holds all draws of the run that the figure shows.
type series struct {
	name   string
	chains [][]float64
}

func (q series) all() []float64 { return slices.Concat(q.chains...) }

// isConstant reports whether all draws are equal.
func (q series) isConstant() bool {
	all := q.all()
	return len(all) > 0 && !slices.ContainsFunc(all, func(v float64) bool { return v != all[0] })
}

// seriesOf returns the named quantities, or all that vary if there are no names. It returns at most `most` of them; a
// note gives the number of all.
func seriesOf(r *store.Run, o Options, most int) (qs []series, notes []string, err error) {
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
				q := series{s.Variable.Element(i), element(chains, i, s.Variable.Size())}
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
			var more []series
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
		return nil, nil, quantities.Unusable{Reason: "all draws in " + r.Dir + " are equal; name the quantities to " +
			"plot"}
	default:
		return nil, nil, quantities.Unusable{Reason: r.Dir + " has no saved quantities to plot"}
	}
	if total > most {
		notes = append(notes, fmt.Sprintf("%d of %d quantities are shown; name others to see them.", most, total))
	}
	return qs, notes, nil
}

// plainName matches a variable or an element. If such a name is unknown, the error suggests similar names.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*( *\[[^]]*\])?$`)

// evaluated returns the elements of an expression as series. They are named after the expression if it is not a
// variable.
func evaluated(r *store.Run, expression string, o Options) (qs []series, err error) {
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
		qs = append(qs, series{v.Element(i), chains})
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

// eachSeries returns a picture with one panel for each selected quantity.
func eachSeries(r *store.Run, o Options, columns, most int, panel func(q series) Panel) (Picture, error) {
	qs, notes, err := seriesOf(r, o, most)
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
