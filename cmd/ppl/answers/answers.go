// Package answers prints the answers to queries about draws, as text for people, as one JSON object, or as a CSV table.
//
//	to := &answers.Text{To: os.Stdout}
//	a, err := run.Ask(ctx, "P(tau > 3)", to.Most())
//	err = to.Add(a)
//	err = to.Close()
//
// Monte Carlo errors and effective sample sizes follow Vehtari et al. 2021, Bayesian Analysis 16.
package answers

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"ppl/app/analysis"
	"ppl/compiler/predict/query"
	"ppl/lang/types"
	asked "ppl/posterior/query"
	"ppl/posterior/store"
)

// A Printer prints the answers to queries one by one.
type Printer interface {
	// Most returns the maximum number of elements of an array to evaluate; 0 means all.
	Most() int
	Add(a *analysis.Answer) error
	// Close prints the end of the output.
	Close() error
}

// Text prints answers as text.
type Text struct {
	To      io.Writer
	Several bool // print each query before its answer
	n       int
}

// shownElements is the maximum number of elements of an array that are printed.
const shownElements = 20

func (*Text) Most() int    { return shownElements }
func (*Text) Close() error { return nil }

func (t *Text) Add(a *analysis.Answer) error {
	if t.Several {
		t.n++
		if t.n > 1 {
			fmt.Fprintln(t.To)
		}
		fmt.Fprintf(t.To, "%s\n", a.Text)
	}
	if err := printAnswer(t.To, a); err != nil {
		return err
	}
	if left := a.Size - len(a.Result.Values); left > 0 {
		_, err := fmt.Fprintf(t.To, "… and %d more\n", left)
		return err
	}
	return nil
}

// printAnswer prints the first elements of an answer as text.
func printAnswer(w io.Writer, a *analysis.Answer) error {
	v := a.Variable()
	lo, hi := a.Question.Bounds()
	if a.Query.Form == query.Rank {
		return asked.RankTable(w, v, asked.Ranks(a.Result))
	}
	es := a.Estimates()
	moment := map[query.Form]string{query.Mean: "mean", query.SD: "sd", query.Median: "median"}[a.Query.Form]
	if len(v.Shape) == 0 {
		text := es[0].Line(lo, hi)
		if moment != "" {
			text = es[0].Moment(moment)
		} else if a.Question.IsTruth() {
			text = es[0].Probability()
		}
		_, err := fmt.Fprintln(w, text)
		return err
	}
	if moment != "" {
		return asked.MomentTable(w, v, 0, es, moment)
	}
	return asked.Table(w, v, 0, es, lo, hi, a.Question.IsTruth())
}

// A row holds the statistics of one element, for programs.
type row struct {
	Name     string       `json:"name"`
	Mean     store.Number `json:"mean"`
	SD       store.Number `json:"sd"`
	MCSE     store.Number `json:"mcse_mean"`
	Lo       store.Number `json:"q2.5"`
	Median   store.Number `json:"q50"`
	Hi       store.Number `json:"q97.5"`
	Below    store.Number `json:"p_negative"`
	ESS      store.Number `json:"ess"`
	Draws    int          `json:"draws"`
	Largest  store.Number `json:"p_largest"`
	Smallest store.Number `json:"p_smallest"`
	Rank     store.Number `json:"mean_rank"`
}

// rowsOfAnswer returns the rows of all elements of an answer. Statistics that the query did not ask for are NaN.
func rowsOfAnswer(a *analysis.Answer) []row {
	var places []asked.Place
	if a.Query.Form == query.Rank {
		places = asked.Ranks(a.Result)
	}
	return rowsOf(a.Variable(), 0, asked.Estimates(a.Result), places)
}

// rowsOf returns the rows of consecutive elements of a variable, beginning with element first.
func rowsOf(v types.Variable, first int, es []asked.Estimate, places []asked.Place) []row {
	rows := make([]row, len(es))
	none := store.Number(math.NaN())
	for k, e := range es {
		n := func(x float64) store.Number { return store.Number(x) }
		rows[k] = row{v.Element(first + k), n(e.Mean), n(e.SD), n(e.MCSE), n(e.Lo), n(e.Median), n(e.Hi), n(e.Below),
			n(e.ESS),
			e.Draws, none, none, none}
		if places != nil {
			rows[k].Largest, rows[k].Smallest = n(places[k].Largest), n(places[k].Smallest)
			rows[k].Rank = n(places[k].MeanRank)
		}
	}
	return rows
}

// JSON prints all answers as one object.
type JSON struct {
	w       io.Writer
	Run     string       `json:"run"`
	Model   string       `json:"model"`
	Chains  int          `json:"chains"`
	Draws   int          `json:"draws"`
	Queries []jsonAnswer `json:"queries"`
}

type jsonAnswer struct {
	Query    string `json:"query"`
	Elements []row  `json:"elements"`
}

func NewJSON(w io.Writer, o *analysis.Run) *JSON {
	return &JSON{w: w, Run: o.Dir, Model: o.Stored.Info.Model, Chains: o.Stored.Layout.Chains,
		Draws: o.Stored.Info.Draws, Queries: []jsonAnswer{}}
}

func (*JSON) Most() int { return 0 }

func (j *JSON) Add(a *analysis.Answer) error {
	j.Queries = append(j.Queries, jsonAnswer{a.Text, rowsOfAnswer(a)})
	return nil
}

func (j *JSON) Close() error {
	e := json.NewEncoder(j.w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(j)
}

// CSV prints all answers as one table.
type CSV struct {
	w *csv.Writer
}

func NewCSV(w io.Writer) *CSV {
	c := &CSV{csv.NewWriter(w)}
	c.w.Write([]string{"query", "element", "mean", "sd", "mcse_mean", "q2.5", "q50", "q97.5", "p_negative",
		"ess", "draws",
		"p_largest", "p_smallest", "mean_rank"})
	return c
}

func (*CSV) Most() int { return 0 }

func (c *CSV) Add(a *analysis.Answer) error { return c.rows(a.Text, rowsOfAnswer(a)) }

// Table adds the rows of consecutive elements of a variable, beginning with element first.
func (c *CSV) Table(query string, v types.Variable, first int, r *asked.Result) error {
	return c.rows(query, rowsOf(v, first, asked.Estimates(r), nil))
}

func (c *CSV) rows(query string, rows []row) error {
	for _, r := range rows {
		line := []string{query, r.Name}
		for _, x := range []store.Number{r.Mean, r.SD, r.MCSE, r.Lo, r.Median, r.Hi, r.Below, r.ESS,
			store.Number(r.Draws), r.Largest, r.Smallest, r.Rank} {
			line = append(line, field(float64(x)))
		}
		if err := c.w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// field formats a number with full precision, or NaN as "".
func field(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

func (c *CSV) Close() error {
	c.w.Flush()
	return c.w.Error()
}
