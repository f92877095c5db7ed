package results

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/cmd/ppl/terminal"
	"ppl/lang/diag"
	"ppl/posterior/diagnose"
	"ppl/posterior/store"
	"ppl/posterior/summary"
	"ppl/runtime/sys/process"
)

func watchCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch RUN [flags]",
		Short: "Show how far a run is, until it ends",
		Long: "Show how far a run is, which another process samples: phase, iterations, part of warm-up, gradients, " +
			"rate, the time left,\ndivergences, swap rates, and of the draws so far the worst effective size and " +
			"R-hat, by name. The run is only read. It may be\non another machine.",
		Args: terminal.OneArg("RUN"),

		DisableFlagsInUseLine: true,
	}
	unknown := store.Number(math.NaN())
	w := watching{console: c, worst: worst{ESS: unknown, RHat: unknown}}
	f := cmd.Flags()
	f.DurationVar(&w.every, "every", 2*time.Second, "look again after the `TIME`")
	f.BoolVar(&w.once, "once", false, "look once")
	f.BoolVar(&w.asJSON, "json", false, "print one JSON object for each look")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if w.every <= 0 {
			return fault.Usagef("--every %v: the interval must be greater than 0", w.every)
		}
		ctx, release := process.Stoppable(cmd.Context())
		defer release()
		return w.watch(ctx, args[0])
	}
	return cmd
}

// A watching holds the flags of `ppl watch`, and the latest diagnostics.
type watching struct {
	console *terminal.Console
	every   time.Duration
	once    bool
	asJSON  bool

	said  time.Time // time of the last line, if lines cannot be redrawn
	draws int       // number of draws of each chain from which worst was computed
	worst worst
}

// A look is the visible state of a run.
type look struct {
	Status      store.Status `json:"status"`
	Phase       string       `json:"phase,omitempty"`
	Done        int          `json:"done"`
	Total       int          `json:"total"`
	Part        string       `json:"part,omitempty"` // part of warm-up
	Gradients   int64        `json:"gradients,omitempty"`
	Rate        float64      `json:"iterations_per_second"`
	SecondsLeft *float64     `json:"seconds_left"` // for the rest of the phase; null if unknown
	Divergences int          `json:"divergences"`
	// SwapRates holds the swap rates between neighbouring rungs.
	SwapRates []store.Number `json:"swap_rates,omitempty"`
	Draws     int            `json:"draws"` // number of draws of each chain that can be read
	Silent    float64        `json:"seconds_silent"`
	Error     string         `json:"error,omitempty"`
	Worst     worst          `json:"worst"`
	left      time.Duration  // SecondsLeft as a duration; 0 if unknown
}

// A worst holds the smallest effective sample size and the largest R-hat, with the names of the quantities.
type worst struct {
	ESS      store.Number `json:"ess"`
	ESSName  string       `json:"ess_name,omitempty"`
	RHat     store.Number `json:"rhat"`
	RHatName string       `json:"rhat_name,omitempty"`
}

// watch shows the state of a run repeatedly until the run ends or the user interrupts.
func (w *watching) watch(ctx context.Context, dir string) error {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for {
		l, err := w.look(dir)
		if err != nil {
			return err
		}
		ended := l.Status != store.Running
		if err := w.show(l, ended || w.once); err != nil {
			return fault.Of(err)
		}
		if ended || w.once {
			return nil
		}
		select {
		case <-ctx.Done():
			if w.console.Live && !w.asJSON {
				w.console.Notef("")
			}
			return nil
		case <-tick.C:
		}
	}
}

// look reads the state of a run. It computes statistics only after the draws have grown by a fifth, so that watching
// costs little.
func (w *watching) look(dir string) (look, error) {
	info, err := store.ReadInfo(dir)
	if err != nil {
		return look{}, rundir.Unreadable(dir, err)
	}
	l := look{Status: info.Status, Draws: info.Draws, Error: info.Error, Worst: w.worst}
	p, err := store.ReadProgress(dir)
	if err == nil {
		l.Phase, l.Done, l.Total, l.Divergences, l.Rate = p.Phase, p.Done, p.Total, p.Divergences, p.Rate()
		l.Part, l.Gradients, l.SwapRates = p.Part, p.Gradients, p.SwapRates
		l.Silent = max(0, time.Since(p.Written).Seconds()) // the clock may have been set back
		if left, known := p.Left(); known {
			seconds := left.Seconds()
			l.left, l.SecondsLeft = left, &seconds
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return l, fault.Of(err)
	}
	ended := info.Status != store.Running
	if ended && len(info.Report.SwapRates) > 0 {
		l.SwapRates = store.Numbers(info.Report.SwapRates)
	}
	if info.Draws == 0 || !ended && float64(info.Draws) < 1.2*float64(w.draws) || info.Draws == w.draws {
		return l, nil
	}
	// Opening may fail while the run is being written; the next look succeeds.
	if run, err := store.Open(dir); err == nil {
		if r, err := diagnose.Summarize(run, summary.View{}); err == nil {
			w.draws, w.worst = info.Draws, worstOf(r)
			l.Worst = w.worst
		}
	}
	return l, nil
}

func worstOf(r summary.Report) worst {
	w := r.Worst()
	return worst{store.Number(w.ESS), w.ESSOf, store.Number(w.RHat), w.RHatOf}
}

// show prints a state: in place on a terminal, else as a line at intervals.
func (w *watching) show(l look, last bool) error {
	switch {
	case w.asJSON:
		return json.NewEncoder(w.console.Out).Encode(l)
	case w.console.Width > 0:
		_, err := fmt.Fprintf(w.console.Out, "\r%-*s", w.console.Width-1, clip(l.text(), w.console.Width-1))
		if err == nil && last {
			_, err = fmt.Fprintln(w.console.Out)
		}
		return err
	case last || time.Since(w.said) >= terminal.LongestWait:
		w.said = time.Now()
		_, err := fmt.Fprintln(w.console.Out, l.text())
		return err
	}
	return nil
}

// clip returns at most the first n characters of a line.
func clip(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n])
	}
	return text
}

// quiet is the number of seconds without progress after which a running process is reported as silent.
const quiet = 30

// text formats the state as one line.
func (l look) text() string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if l.Status == store.Running && l.Phase != "" {
		add("%s %s of %s", l.Phase, diag.Thousands(l.Done), diag.Thousands(l.Total))
		if l.Part != "" {
			add("%s", l.Part)
		}
		if l.Gradients > 0 {
			add("%s gradients", diag.Thousands(int(l.Gradients)))
		}
		add("%.3g iterations/s", l.Rate)
		if l.SecondsLeft != nil {
			add("%v left", l.left.Round(time.Second))
		}
	} else if l.Status == store.Running {
		add("compiling")
	} else {
		add("%s", l.Status)
	}
	add("%s draws", diag.Thousands(l.Draws))
	if l.Worst.ESSName != "" {
		add("ess %.0f (%s)", float64(l.Worst.ESS), l.Worst.ESSName)
	}
	if l.Worst.RHatName != "" {
		add("R-hat %.3f (%s)", float64(l.Worst.RHat), l.Worst.RHatName)
	}
	if text := swapRates(l.SwapRates); text != "" {
		add("%s", text)
	}
	if l.Divergences > 0 {
		add("%s divergences", diag.Thousands(l.Divergences))
	}
	if l.Status == store.Running && l.Silent > quiet {
		add("no progress for %.0f s", l.Silent)
	}
	if l.Error != "" {
		add("%s", l.Error)
	}
	return strings.Join(parts, " · ")
}

// swapRates describes the swap rates of a ladder: the smallest, with its rungs, and the largest.
func swapRates(rates []store.Number) string {
	least, most := -1, -1
	for j, x := range rates {
		if math.IsNaN(float64(x)) {
			continue
		}
		if least < 0 || x < rates[least] {
			least = j
		}
		if most < 0 || x > rates[most] {
			most = j
		}
	}
	if least < 0 {
		return ""
	}
	return fmt.Sprintf("swap rates %.2f (rungs %d and %d) to %.2f", float64(rates[least]), least+1, least+2,
		float64(rates[most]))
}
