package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"ppl/app/analysis"
	"ppl/app/callable"
	"ppl/app/devices"
	"ppl/app/fault"
	"ppl/cmd/ppl/terminal"
	"ppl/compiler"
	"ppl/compiler/datasets/datafile"
	"ppl/runtime/sys/process"
)

// A pointQuery holds the arguments of `ppl logprob`.
type pointQuery struct {
	model    string
	data     []string
	at       string
	device   string // empty for the graph interpreter; all to compare devices
	gradient bool
	asJSON   bool
	serve    bool // answer requests of another program
}

// allDevices is the value of --device that compares all devices.
const allDevices = "all"

func logprobCommand(c *terminal.Console) *cobra.Command {
	q := &pointQuery{}
	cmd := &cobra.Command{
		Use:   "logprob MODEL --at VALUES.json [--data F|NAME=F]… [--gradient] [--device D|all] [--json]",
		Short: "Evaluate a model's log density at given parameter values",
		Long: "Evaluate log prior, log likelihood and log-Jacobian at the parameter values in a file, given on their " +
			"own scale.\n--json adds the log likelihood of each row. Gradients are those of log prior + log " +
			"likelihood on the " +
			"parameters' own scale.\n" +
			"--device all evaluates everything on every device and names the largest difference from the graph's " +
			"interpreter.",
		Args: terminal.OneArg("MODEL"),

		DisableFlagsInUseLine: true,
	}
	f := cmd.Flags()
	f.StringArrayVar(&q.data, "data", nil, terminal.DataUsage)
	f.StringVar(&q.at, "at", "", "parameter values from `VALUES.json`")
	f.BoolVar(&q.gradient, "gradient", false, "print gradients too")
	f.StringVar(&q.device, "device", "", "evaluate on `D`: "+devices.Docs()+
		"; all compares them (default: plain loops over the graph)")
	f.BoolVar(&q.asJSON, "json", false, "print one JSON object")
	f.BoolVar(&q.serve, "serve", false, "answer requests of a program for unconstrained points on standard input")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		q.model = args[0]
		if q.serve {
			return serveDensity(cmd.Context(), c, q)
		}
		return logprob(cmd.Context(), c, q)
	}
	return cmd
}

func logprob(ctx context.Context, c *terminal.Console, q *pointQuery) error {
	ctx, release := process.Stoppable(ctx)
	defer release()
	if q.at == "" {
		return fault.Usagef("--at VALUES.json is missing")
	}
	if q.device != "" && q.device != allDevices {
		if err := devices.Check(q.device); err != nil {
			return err
		}
	}
	p, err := load(c, q.model, q.data)
	if err != nil {
		return err
	}
	values, err := datafile.DefaultRowCache().Whole(q.at)
	if err != nil {
		return fault.Wrong(err)
	}
	on := q.device
	if on == allDevices {
		on = ""
	}
	l, err := analysis.LogProb(ctx, p, on, values.Arrays, c.Notes(false))
	if errors.As(err, new(*fault.Error)) {
		return err
	} else if err != nil {
		return fault.Wrongf("%s: %w", q.at, err)
	}
	var compared []analysis.DeviceDifference
	if q.device == allDevices {
		if compared, err = analysis.CompareDevices(ctx, p, l, values.Arrays, c.Notes(false)); err != nil {
			return err
		}
	}
	if !q.gradient {
		l.Gradient = nil
	}
	if q.asJSON {
		return logprobJSON(c.Out, l, compared)
	}
	logprobText(c.Out, l)
	OrdersText(c.Out, p.Orders())
	comparedText(c.Out, compared)
	return nil
}

// serveDensity answers requests on standard input until it ends.
func serveDensity(ctx context.Context, c *terminal.Console, q *pointQuery) error {
	ctx, release := process.Stoppable(ctx)
	defer release()
	if q.at != "" || q.gradient || q.asJSON || q.device == allDevices {
		return fault.Usagef("--serve reads points from standard input; --at, --gradient, --json and --device all are " +
			"for one point")
	}
	if q.device == "" {
		q.device = "auto"
	}
	if err := devices.Check(q.device); err != nil {
		return err
	}
	d, err := callableDensity(c, q.model, q.data)
	if err != nil {
		return err
	}
	on, err := devices.Open(ctx, q.device, c.Notes(false).Note)
	if err != nil {
		return err
	}
	return callable.Serve(d, on, os.Stdin, c.Out)
}

func logprobText(w io.Writer, l *compiler.LogProb) {
	fmt.Fprintf(w, "log prior       %s\nlog likelihood  %s\nlog Jacobian    %s\n",
		terminal.Digits(l.Prior), terminal.Digits(l.Likelihood), terminal.Digits(l.Jacobian))
	for _, name := range slices.Sorted(maps.Keys(l.Gradient)) {
		fmt.Fprintf(w, "gradient of %s:", name)
		for _, g := range l.Gradient[name] {
			fmt.Fprint(w, " ", terminal.Digits(g))
		}
		fmt.Fprintln(w)
	}
}

// OrdersText prints the terms that ordered parameters add to the log prior.
func OrdersText(w io.Writer, orders []compiler.Order) {
	for _, o := range orders {
		times := ""
		if o.Vectors > 1 {
			times = fmt.Sprintf("%d ", o.Vectors)
		}
		if o.Known {
			fmt.Fprintf(w, "log prior includes %slog %d! = %s: `%s` is ordered\n", times, o.Size,
				terminal.Digits(o.Log), o.Parameter)
		} else {
			fmt.Fprintf(w, "log prior is not normalised: the integral over the ordered elements of `%s`, which "+
				"differ, is not known\n", o.Parameter)
		}
	}
}

// logprobJSON prints one object. Arrays are flat and row-major.
func logprobJSON(w io.Writer, l *compiler.LogProb, compared []analysis.DeviceDifference) error {
	text, err := json.MarshalIndent(struct {
		Prior      terminal.Number              `json:"log_prior"`
		Likelihood terminal.Number              `json:"log_likelihood"`
		Jacobian   terminal.Number              `json:"log_jacobian"`
		Rows       map[string][]terminal.Number `json:"rows"`
		Gradient   map[string][]terminal.Number `json:"gradient,omitempty"`
		Devices    []comparison                 `json:"devices,omitempty"`
		Point      []terminal.Number            `json:"unconstrained"`
	}{terminal.Number(l.Prior), terminal.Number(l.Likelihood), terminal.Number(l.Jacobian),
		inJSON(l.Rows), inJSON(l.Gradient),
		differencesInJSON(compared), inJSON(map[string][]float64{"": l.Unconstrained})[""]}, "",
		"  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

func inJSON(arrays map[string][]float64) map[string][]terminal.Number {
	out := map[string][]terminal.Number{}
	for name, xs := range arrays {
		out[name] = make([]terminal.Number, len(xs))
		for i, x := range xs {
			out[name][i] = terminal.Number(x)
		}
	}
	return out
}

// A comparison is the largest difference between a device and the interpreter.
type comparison struct {
	Device     string          `json:"device"`
	Difference terminal.Number `json:"difference"`
	Where      string          `json:"where"`
}

func differencesInJSON(all []analysis.DeviceDifference) (out []comparison) {
	for _, d := range all {
		out = append(out, comparison{d.Device, terminal.Number(d.Difference), d.Where})
	}
	return out
}

func comparedText(w io.Writer, all []analysis.DeviceDifference) {
	for _, c := range all {
		fmt.Fprintf(w, "%-15s differs by %.2g at most, in %s\n", c.Device, c.Difference, c.Where)
	}
}
