// Package htmlreport writes the results of a run as one self-contained HTML page that needs no network and no other
// files.
package htmlreport

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"ppl/lang/types"
	"ppl/posterior/diagnose"
	"ppl/posterior/loo"
	"ppl/posterior/plot"
	"ppl/posterior/quantities"
	"ppl/posterior/report"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

//go:embed page.html
var files embed.FS

// A document is the data of the page's template.
type document struct {
	Report   summary.Report
	Run      store.Info
	Source   string
	Titles   []string
	Rows     [][]string
	Left     int // number of parameters not listed
	Pictures []picture
	Data     []digest
	LOO      string
}

// A picture is a figure of the page, with its caption.
type picture struct {
	Doc    string
	SVG    template.HTML // inline SVG, or an image element
	Frames string        // position of each panel in the figure, as JSON
}

// A digest identifies a data array without holding its values: equal data have equal digests.
type digest struct{ Name, Shape, Range, Missing, SHA256 string }

// kinds returns the kinds of figures on the page, in order. A figure that the run cannot provide is omitted.
func kinds() []string {
	return []string{"forest", "trace", "rank", "pairs", "energy", "ladder", "ppc", "ppc-stat", "loo-pit", "calibration",
		"prior"}
}

// mostRows is the maximum number of parameters that the page lists.
const mostRows = 500

// Write writes the page. Prior is a run that sampled the prior of the same model, or nil.
func Write(w io.Writer, r *store.Run, prior *store.Run) error {
	s, err := diagnose.Summarize(r, summary.View{All: true})
	if err != nil {
		return err
	}
	if r.Info.Draws == 0 {
		return quantities.Unusable{Reason: r.Dir + ": not every chain has draws yet"}
	}
	source, err := store.ReadModel(r.System(), r.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	d := document{Report: s, Run: r.Info, Source: string(source)}
	d.Titles, d.Rows = report.Cells(s, mostRows)
	d.Left = len(s.Parameters) - len(d.Rows)
	leftOut, err := prediction(r)
	if err != nil {
		return err
	}
	if d.Pictures, err = pictures(r, plot.Options{Prior: prior, LeftOut: leftOut}); err != nil {
		return err
	}
	if d.Data, err = digests(r); err != nil {
		return err
	}
	if leftOut != nil {
		var text strings.Builder
		if err := leftOut.Text(&text, 100); err != nil {
			return err
		}
		d.LOO = text.String()
	}
	t, err := template.New("page.html").Funcs(template.FuncMap{"lower": strings.ToLower}).ParseFS(files, "page.html")
	if err != nil {
		panic("internal error: " + err.Error())
	}
	return t.Execute(w, d)
}

// pictures draws the figures that the run provides.
func pictures(r *store.Run, o plot.Options) (all []picture, err error) {
	docs := map[string]string{}
	for _, k := range plot.Kinds() {
		docs[k.Name] = k.Doc
	}
	for _, kind := range kinds() {
		p, err := plot.Draw(r, kind, o)
		if errors.As(err, new(quantities.Unusable)) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p.Title = ""
		drawn, err := inline(p)
		if err != nil {
			return nil, err
		}
		frames, err := json.Marshal(plot.Frames(p))
		if err != nil {
			return nil, err
		}
		doc := strings.Join(append([]string{kind + ": " + docs[kind]}, p.Notes...), ". ")
		all = append(all, picture{doc, drawn, string(frames)})
	}
	return all, nil
}

// largeSVG is the size, in bytes, from which a figure is stored as PNG instead of SVG. An SVG grows with the number of
// draws.
const largeSVG = 200_000

// manyPoints is the number of points from which a figure's SVG is certain to exceed largeSVG, so that it is not
// rendered.
const manyPoints = largeSVG / 5

// inline returns the HTML that shows a figure.
func inline(p plot.Picture) (template.HTML, error) {
	var b bytes.Buffer
	if p.Size() < manyPoints {
		if err := plot.Write(&b, p, "svg", plot.Size{}); err != nil {
			return "", err
		}
		if b.Len() < largeSVG {
			svg := b.String()
			return template.HTML(svg[max(0, strings.Index(svg, "<svg")):]), nil // skip the XML declaration
		}
		b.Reset()
	}
	if err := plot.Write(&b, p, "png", plot.Size{}); err != nil {
		return "", err
	}
	return template.HTML(`<img alt="" src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(b.Bytes()) +
		`">`), nil
}

// prediction returns the leave-one-out cross-validation of a run, or nil if it has none.
func prediction(r *store.Run) (*loo.Result, error) {
	l, err := loo.CrossValidate(r, "")
	if errors.As(err, new(quantities.Unusable)) {
		return nil, nil
	}
	return &l, err
}

// digests describes the data of a run, sorted by name.
func digests(r *store.Run) (all []digest, err error) {
	for _, g := range []struct {
		arrays []store.Observed
		read   func(string) ([]float64, error)
	}{{r.Layout.Observed, r.ObservedData}, {r.Layout.Constant, r.ConstantData}} {
		for _, o := range g.arrays {
			xs, err := g.read(o.Name)
			if err != nil {
				return nil, err
			}
			all = append(all, digestOf(o.Variable, xs))
		}
	}
	slices.SortFunc(all, func(a, b digest) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

func digestOf(v types.Variable, xs []float64) digest {
	sum, missing := sha256.New(), 0
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, x := range xs {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(x))
		sum.Write(b[:])
		if math.IsNaN(x) {
			missing++
			continue
		}
		lo, hi = math.Min(lo, x), math.Max(hi, x)
	}
	d := digest{Name: v.Name, Shape: "a number", SHA256: hex.EncodeToString(sum.Sum(nil))[:16]}
	if len(v.Shape) > 0 {
		d.Shape = strings.Trim(strings.Join(strings.Fields(fmt.Sprint(v.Shape)), " × "), "[]")
	}
	if lo <= hi {
		d.Range = fmt.Sprintf("%.4g to %.4g", lo, hi)
	}
	if missing > 0 {
		d.Missing = fmt.Sprint(missing)
	}
	return d
}
