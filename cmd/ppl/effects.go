package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ppl/app/analysis"
	"ppl/app/effects"
	"ppl/app/fault"
	"ppl/lang/types"
	"ppl/posterior/plot"
	"ppl/posterior/query"
	"ppl/runtime/sys/process"
)

// An effectsRequest is what the flags of ppl effects say.
type effectsRequest struct {
	effects.Question
	out, format   string // of the picture
	size          plot.Size
	asCSV, asJSON bool
}

func effectsCommand(c *console) *cobra.Command {
	r := &effectsRequest{}
	cmd := &cobra.Command{
		Use:   "effects RUN TERM[:BY] [flags]",
		Short: "Show how the expected outcome depends on a predictor",
		Long: "Show how the expected outcome depends on a predictor, and with TERM:BY for several values of another " +
			"one: means and\n95 % intervals over the draws of a run, and of a category the differences from its " +
			"first element. --out draws a picture.\n\n" +
			"Other predictors have their mean, or their first element; --at NAME=VALUE gives another. Groups with " +
			"effects of their\nown, as in (1 | g), are a new group whose effects have their mean, 0; --new-levels " +
			"sample draws them, and so shows how\nmuch new groups differ.",
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return fault.Usagef("RUN is missing")
			case 1:
				return fault.Usagef("TERM is missing; it is a predictor of the model, such as x, or x:group")
			case 2:
				return nil
			}
			return fault.Usagef("one TERM is shown at a time; x:group shows x for each group")
		},

		DisableFlagsInUseLine: true,
	}
	f := cmd.Flags()
	at := f.StringArray("at", nil, "give another predictor a `NAME=VALUE`; may be repeated")
	levels := f.String("new-levels", "zero", "`WHAT` effects of groups are: zero, their mean, or sample, a draw for a "+
		"new group")
	f.StringVar(&r.Outcome, "of", "", "the outcome `NAME`, if the model observes several")
	f.IntVar(&r.Thin, "thin", 1, "take every `K`-th draw")
	f.StringVar(&r.out, "out", "", "draw a picture to `FILE`, which ends in .png, .svg or .pdf")
	size := f.String("size", "", "width and height of the picture, such as 16x10cm")
	f.BoolVar(&r.asCSV, "csv", false, "print one table")
	f.BoolVar(&r.asJSON, "json", false, "print one JSON object")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		groups, ok := newGroups()[*levels]
		r.Groups, r.Terms = groups, strings.Split(args[1], ":")
		switch {
		case !ok || *levels == "refuse":
			return fault.Usagef("--new-levels %q: it is zero or sample", *levels)
		case r.asCSV && r.asJSON:
			return fault.Usagef("--json and --csv are two forms of the same; choose one")
		case len(r.Terms) > 2 || args[1] == "":
			return fault.Usagef("TERM is one predictor, or two as in x:group")
		case r.Thin < 1:
			return fault.Usagef("--thin %d: every draw is --thin 1", r.Thin)
		case *size != "":
			if r.size, err = plot.ParseSize(*size); err != nil {
				return fault.Usagef("--size: %w", err)
			}
		}
		if r.out != "" {
			if r.format, err = plot.FormatOf(r.out); err != nil {
				return fault.Usagef("--out %w", err)
			}
		}
		r.At = map[string]string{}
		for _, a := range *at {
			name, value, ok := strings.Cut(a, "=")
			if !ok || name == "" || value == "" {
				return fault.Usagef("--at %q: write NAME=VALUE", a)
			}
			r.At[name] = value
		}
		ctx, release := process.Stoppable(cmd.Context())
		defer release()
		run, err := analysis.Open(args[0], c.notes(true))
		if err != nil {
			return err
		}
		e, err := effects.Of(ctx, run, r.Question)
		if err != nil {
			return err
		}
		return c.showEffects(e, r)
	}
	return cmd
}

// showEffects prints effects, or draws them to a file.
func (c *console) showEffects(e *effects.Effects, r *effectsRequest) error {
	if r.out != "" {
		var b bytes.Buffer
		if err := plot.Write(&b, effectsPicture(e), r.format, r.size); err != nil {
			return fault.Of(err)
		}
		if err := writeNamed(r.out, writeBytes(b.Bytes())); err != nil {
			return fault.Of(err)
		}
	}
	switch {
	case r.asCSV:
		return fault.Of(c.effectsCSV(e))
	case r.asJSON:
		encoder := json.NewEncoder(c.out)
		encoder.SetIndent("", "  ")
		return fault.Of(encoder.Encode(effectsJSON(e)))
	case r.out != "":
		return nil
	}
	return c.effectsText(e)
}

// effectsText prints a table, and a picture if the term is a number with many values.
func (c *console) effectsText(e *effects.Effects) error {
	if len(e.Fixed) > 0 {
		c.notef("at %s", strings.Join(e.Fixed, ", "))
	}
	const many = 15
	if len(e.Terms[0].Values) > many && !e.Terms[0].Category {
		width := c.width
		if width == 0 {
			width = 80
		}
		if err := plot.Text(c.out, effectsPicture(e), width, c.color && c.width > 0); err != nil {
			return fault.Of(err)
		}
		e = e.Few(many)
	}
	if err := query.Table(c.out, placesVariable(e.Outcome, e.Terms), 0, e.Estimates, -1, 1, false); err != nil {
		return fault.Of(err)
	}
	if len(e.Contrasts) == 0 {
		return nil
	}
	if _, err := c.out.Write([]byte("\ndifferences from " + e.Terms[0].Values[0].Label + "\n")); err != nil {
		return fault.Of(err)
	}
	of := []effects.Axis{{Name: e.Terms[0].Name, Values: e.Terms[0].Values[1:]}}
	var all []query.Estimate
	for _, x := range e.Contrasts {
		all = append(all, x.Estimate)
	}
	return fault.Of(query.Table(c.out, placesVariable("difference", append(of, e.Terms[1:]...)), 0, all, -1, 1, false))
}

// placesVariable names the places of a grid: the second term first, since its places are further apart.
func placesVariable(name string, terms []effects.Axis) types.Variable {
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

func effectsPicture(e *effects.Effects) plot.Picture {
	first := e.Terms[0]
	n := len(first.Values)
	x := plot.Axis{Label: first.Name}
	at := make([]float64, n)
	for i, v := range first.Values {
		if at[i] = v.Number; first.Category {
			at[i] = float64(i + 1)
			x.Ticks = append(x.Ticks, plot.Tick{At: at[i], Label: v.Label})
			x.From, x.To = 0.5, float64(n)+0.5
		}
	}
	var curves []plot.Curve
	for k := 0; k < len(e.Places); k += n {
		c := plot.Curve{X: at, AtCategories: first.Category}
		var others []string
		for i, v := range e.Places[k].Values[1:] {
			others = append(others, e.Terms[i+1].Name+" "+v.Label)
		}
		c.Label = strings.Join(others, ", ")
		for _, m := range e.Estimates[k : k+n] {
			c.Mean, c.Lo, c.Hi = append(c.Mean, m.Mean), append(c.Lo, m.Lo), append(c.Hi, m.Hi)
		}
		curves = append(curves, c)
	}
	label := "expected " + e.Outcome
	if e.Terms[len(e.Terms)-1].Name == e.Outcome {
		label = "probability"
	}
	return plot.Effects(x, plot.Axis{Label: label}, curves)
}

// effectsCSV prints a row for each place.
func (c *console) effectsCSV(e *effects.Effects) error {
	w := csv.NewWriter(c.out)
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

// effectsJSON has the places and contrasts of effects for other programs.
func effectsJSON(e *effects.Effects) any {
	type place struct {
		At     map[string]any `json:"at"`
		Less   map[string]any `json:"less,omitempty"` // of a contrast: the place whose expectation is taken away
		Mean   float64        `json:"mean"`
		SD     float64        `json:"sd"`
		Low    float64        `json:"q2.5"`
		Median float64        `json:"q50"`
		High   float64        `json:"q97.5"`
		Above  float64        `json:"p_positive"`
	}
	at := func(p effects.Place) map[string]any {
		values := map[string]any{}
		for i, v := range p.Values {
			if values[e.Terms[i].Name] = v.Number; e.Terms[i].Category {
				values[e.Terms[i].Name] = v.Label
			}
		}
		return values
	}
	of := func(p effects.Place, m query.Estimate) place {
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
	return answer
}
