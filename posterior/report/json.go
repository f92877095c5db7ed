package report

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"ppl/posterior/layout"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

// document is the JSON object that `ppl summary --json` and `ppl sample --json` print; its keys are stable. Undefined
// numbers are null, such as R-hat of a constant.
type document struct {
	Model       string            `json:"model"`
	Sampler     string            `json:"sampler"`
	Device      string            `json:"device"`
	Seed        uint64            `json:"seed"`
	Chains      int               `json:"chains"`
	Draws       int               `json:"draws"`
	Seconds     store.Number      `json:"seconds"`
	Gradients   int64             `json:"gradients"`
	Parameters  []parameterObject `json:"parameters"`
	Exchange    *exchangeObject   `json:"replica_exchange"`
	Divergences int               `json:"divergences"`
	Warnings    []store.Warning   `json:"warnings"`
	Usable      bool              `json:"usable"`
	Thin        int               `json:"thin"`
	Steps       store.Number      `json:"steps_per_iteration"`
	EBFMI       []store.Number    `json:"ebfmi"`
}

type parameterObject struct {
	Name     string       `json:"name"`
	Mean     store.Number `json:"mean"`
	SD       store.Number `json:"sd"`
	MCSEMean store.Number `json:"mcse_mean"`
	Q5       store.Number `json:"q5"`
	Q50      store.Number `json:"q50"`
	Q95      store.Number `json:"q95"`
	ESSBulk  store.Number `json:"ess_bulk"`
	ESSTail  store.Number `json:"ess_tail"`
	RHat     store.Number `json:"rhat"`

	// Marks holds the requested quantiles or interval, by column title.
	Marks map[string]store.Number `json:"asked,omitempty"`
}

type exchangeObject struct {
	Temperatures []store.Number `json:"temperatures"`
	SwapRates    []store.Number `json:"swap_rates"`
	RoundTrips   int            `json:"round_trips"`
	Barrier      store.Number   `json:"barrier"`
}

// JSON prints a report as one object.
func JSON(w io.Writer, s summary.Report) error {
	return layout.WriteJSON(w, documentOf(s))
}

func documentOf(s summary.Report) document {
	d := document{s.Model, s.Sampler, s.Device, s.Seed, s.Chains, s.Draws, store.Number(s.Seconds), s.Gradients,
		make([]parameterObject, 0, len(s.Parameters)), nil, s.Divergences, append([]store.Warning{}, s.Warnings...),
		!s.Unusable, s.Pace.Thin,
		store.Number(s.Pace.Steps), store.Numbers(s.Pace.EBFMI)}
	for _, p := range s.Parameters {
		d.Parameters = append(d.Parameters, objectOf(p, s.View))
	}
	if x := s.Exchange; x != nil {
		d.Exchange = &exchangeObject{store.Numbers(x.Temperatures), store.Numbers(x.SwapRates), x.RoundTrips,
			store.Number(x.Barrier)}
	}
	return d
}

func objectOf(p summary.Parameter, v summary.View) parameterObject {
	n := store.Numbers([]float64{p.Mean, p.SD, p.MCSEMean, p.Q5, p.Q50, p.Q95, p.ESSBulk, p.ESSTail, p.RHat})
	return parameterObject{p.Name, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], askedMarks(p, v)}
}

// askedMarks returns the requested quantiles or interval by column title, or nil if the view has the default columns.
func askedMarks(p summary.Parameter, v summary.View) map[string]store.Number {
	if len(v.Quantiles) == 0 && v.Interval.Mass == 0 {
		return nil
	}
	out := map[string]store.Number{}
	for k, title := range v.Titles() {
		out[title] = store.Number(p.Mark(k))
	}
	return out
}

// CSV prints a line for each parameter, with full precision. Undefined numbers are empty.
func CSV(w io.Writer, s summary.Report) error {
	return writeCSV(w, append([][]string{header(s.View)}, csvLines(s)...))
}

func writeCSV(w io.Writer, lines [][]string) error {
	out := csv.NewWriter(w)
	if err := out.WriteAll(lines); err != nil {
		return err
	}
	return out.Error()
}

// header returns the column names.
func header(v summary.View) []string {
	return append(append([]string{"name", "mean", "sd", "mcse_mean"}, v.Titles()...), "ess_bulk", "ess_tail", "r_hat")
}

// csvLines returns the cells of each parameter's line.
func csvLines(s summary.Report) (lines [][]string) {
	for _, p := range s.Parameters {
		cells := []string{p.Name}
		numbers := []float64{p.Mean, p.SD, p.MCSEMean}
		for k := range s.View.Titles() {
			numbers = append(numbers, p.Mark(k))
		}
		for _, x := range append(numbers, p.ESSBulk, p.ESSTail, p.RHat) {
			cells = append(cells, plain(x))
		}
		lines = append(lines, cells)
	}
	return lines
}

func plain(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
