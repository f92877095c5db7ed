package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"ppl/compiler"
	"ppl/compiler/data"
)

func logprobCommand(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "logprob MODEL --at VALUES.json [--data F|NAME=F]… [--gradient] [--json]",
		Short: "Evaluate a model's log density at given parameter values",
		Long: "Evaluate log prior, log likelihood and log-Jacobian at the parameter values in a file, given on their " +
			"own scale.\n" +
			"--json adds the log likelihood of each row. Gradients are those of log prior + log likelihood on the " +
			"parameters' own scale.",
		Args: one("MODEL"),

		DisableFlagsInUseLine: true,
	}
	data := dataFlag(cmd)
	at := cmd.Flags().String("at", "", "parameter values from `VALUES.json`")
	gradient := cmd.Flags().Bool("gradient", false, "print gradients too")
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		l, err := c.logprob(args[0], *data, *at)
		if err != nil {
			return err
		}
		if !*gradient {
			l.Gradient = nil
		}
		if *asJSON {
			return logprobJSON(c.out, l)
		}
		logprobText(c.out, l)
		return nil
	}
	return cmd
}

func (c *console) logprob(model string, files []string, at string) (*compiler.LogProb, error) {
	if at == "" {
		return nil, usagef("--at VALUES.json is missing")
	}
	p, err := c.loadWhole(model, files)
	if err != nil {
		return nil, err
	}
	values, err := data.Read(at)
	if err != nil {
		return nil, wrong(err)
	}
	l, err := p.LogProb(values.Arrays)
	if err != nil {
		return nil, wrong(fmt.Errorf("%s: %w", at, err))
	}
	return l, nil
}

func logprobText(w io.Writer, l *compiler.LogProb) {
	fmt.Fprintf(w, "log prior       %s\nlog likelihood  %s\nlog Jacobian    %s\n",
		digits(l.Prior), digits(l.Likelihood), digits(l.Jacobian))
	for _, name := range slices.Sorted(maps.Keys(l.Gradient)) {
		fmt.Fprintf(w, "gradient of %s:", name)
		for _, g := range l.Gradient[name] {
			fmt.Fprint(w, " ", digits(g))
		}
		fmt.Fprintln(w)
	}
}

func digits(x float64) string { return fmt.Sprintf("%.10g", x) }

// logprobJSON prints one object; arrays are flat, row-major.
func logprobJSON(w io.Writer, l *compiler.LogProb) error {
	text, err := json.MarshalIndent(struct {
		Prior      number              `json:"log_prior"`
		Likelihood number              `json:"log_likelihood"`
		Jacobian   number              `json:"log_jacobian"`
		Rows       map[string][]number `json:"rows"`
		Gradient   map[string][]number `json:"gradient,omitempty"`
	}{number(l.Prior), number(l.Likelihood), number(l.Jacobian), numbers(l.Rows), numbers(l.Gradient)}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// A number's JSON form is "-inf", "inf" or "nan" where it is not finite, as in Stan JSON: a density of zero is an
// answer.
type number float64

func (x number) MarshalJSON() ([]byte, error) {
	switch v := float64(x); {
	case math.IsNaN(v):
		return []byte(`"nan"`), nil
	case math.IsInf(v, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-inf"`), nil
	}
	return json.Marshal(float64(x))
}

func numbers(arrays map[string][]float64) map[string][]number {
	out := map[string][]number{}
	for name, xs := range arrays {
		out[name] = make([]number, len(xs))
		for i, x := range xs {
			out[name][i] = number(x)
		}
	}
	return out
}
