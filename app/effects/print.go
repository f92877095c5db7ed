package effects

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"ppl/lang/types"
	"ppl/posterior/query"
)

// Table prints the effects, then the differences between categories.
func (e *Effects) Table(w io.Writer) error {
	if err := query.Table(w, placesVariable(e.Outcome, e.Terms), 0, e.Estimates, -1, 1, false); err != nil {
		return err
	}
	if len(e.Contrasts) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "\ndifferences from %s\n", e.Terms[0].Values[0].Label); err != nil {
		return err
	}
	of := []Axis{{Name: e.Terms[0].Name, Values: e.Terms[0].Values[1:]}}
	var all []query.Estimate
	for _, x := range e.Contrasts {
		all = append(all, x.Estimate)
	}
	return query.Table(w, placesVariable("difference", append(of, e.Terms[1:]...)), 0, all, -1, 1, false)
}

// placesVariable returns a variable whose elements are the places of a grid. Its axes are the terms in reverse order,
// since the first term varies fastest.
func placesVariable(name string, terms []Axis) types.Variable {
	v := types.Variable{Name: name}
	for k := len(terms) - 1; k >= 0; k-- {
		labels := make([]string, len(terms[k].Values))
		for i, x := range terms[k].Values {
			labels[i] = x.Label
		}
		v.Shape, v.Dims = append(v.Shape, len(labels)), append(v.Dims, terms[k].Name)
		v.Label = append(v.Label, labels)
	}
	return v
}

// CSV prints a row for each place.
func (e *Effects) CSV(to io.Writer) error {
	w := csv.NewWriter(to)
	var head []string
	for _, t := range e.Terms {
		head = append(head, t.Name)
	}
	if err := w.Write(append(head, "mean", "sd", "q2.5", "q50", "q97.5", "mcse")); err != nil {
		return err
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for k, p := range e.Places {
		var row []string
		for i, v := range p.Values {
			if e.Terms[i].Category {
				row = append(row, v.Label)
			} else {
				row = append(row, number(v.Number))
			}
		}
		m := e.Estimates[k]
		if err := w.Write(append(row, number(m.Mean), number(m.SD), number(m.Lo), number(m.Median), number(m.Hi),
			number(m.MCSE))); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// JSON prints the effects and contrasts as one object.
func (e *Effects) JSON(w io.Writer) error {
	type place struct {
		At     map[string]any `json:"at"`
		Less   map[string]any `json:"less,omitempty"` // for a contrast: the place whose expectation is subtracted
		Mean   float64        `json:"mean"`
		SD     float64        `json:"sd"`
		Low    float64        `json:"q2.5"`
		Median float64        `json:"q50"`
		High   float64        `json:"q97.5"`
		Above  float64        `json:"p_positive"`
	}
	at := func(p Place) map[string]any {
		values := map[string]any{}
		for i, v := range p.Values {
			values[e.Terms[i].Name] = v.Number
			if e.Terms[i].Category {
				values[e.Terms[i].Name] = v.Label
			}
		}
		return values
	}
	of := func(p Place, m query.Estimate) place {
		return place{At: at(p), Mean: m.Mean, SD: m.SD, Low: m.Lo, Median: m.Median, High: m.Hi, Above: m.Above}
	}
	answer := struct {
		Outcome   string   `json:"outcome"`
		Fixed     []string `json:"fixed"`
		Effects   []place  `json:"effects"`
		Contrasts []place  `json:"contrasts,omitempty"`
	}{Outcome: e.Outcome, Fixed: e.Fixed}
	for k, p := range e.Places {
		answer.Effects = append(answer.Effects, of(p, e.Estimates[k]))
	}
	for _, x := range e.Contrasts {
		one := of(x.Place, x.Estimate)
		one.Less = at(x.Reference)
		answer.Contrasts = append(answer.Contrasts, one)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(answer)
}
