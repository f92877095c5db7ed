// Package htmlreport writes what a run found as one HTML page that needs nothing else: no network, no other files.
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
	"ppl/posterior/plot"
	"ppl/posterior/report"
	"ppl/posterior/store"
)

//go:embed page.html
var files embed.FS

// A document is what the template reads.
type document struct {
	Report   report.Report
	Run      store.Info
	Source   string
	Titles   []string
	Rows     [][]string
	Left     int // parameters without a row
	Pictures []picture
	Data     []digest
	LOO      string
}

// A picture is drawn, or has a line that says why not.
type picture struct {
	Doc    string
	SVG    template.HTML // or an image
	Frames string        // of its panels, as JSON
}

// A digest shows whether data are the same without holding them.
type digest struct{ Name, Shape, Range, Missing, SHA256 string }

// kinds returns the pictures of the page; those that a run cannot give are left out.
func kinds() []string {
	return []string{"forest", "trace", "rank", "pairs", "energy", "ladder", "ppc", "ppc-stat", "loo-pit", "calibration",
		"prior"}
}

// mostRows is how many parameters the page lists.
const mostRows = 500

// Write writes the page. Prior may be nil, or draws from the prior of the same model.
func Write(w io.Writer, r *store.Run, prior *store.Run) error {
	s, err := report.Summarize(r, report.View{All: true})
	if err != nil {
		return err
	}
	if r.Info.Draws == 0 {
		return report.Unusable{Reason: r.Dir + " has no draws yet of every chain"}
	}
	source, err := store.ReadModel(r.System(), r.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	d := document{Report: s, Run: r.Info, Source: string(source)}
	d.Titles, d.Rows = report.Cells(s, mostRows)
	d.Left = len(s.Parameters) - len(d.Rows)
	if d.Pictures, err = pictures(r, prior); err != nil {
		return err
	}
	if d.Data, err = digests(r); err != nil {
		return err
	}
	if d.LOO, err = prediction(r); err != nil {
		return err
	}
	t, err := template.New("page.html").Funcs(template.FuncMap{"lower": strings.ToLower}).ParseFS(files, "page.html")
	if err != nil {
		panic("internal error: " + err.Error())
	}
	return t.Execute(w, d)
}

// pictures draws what the run has.
func pictures(r, prior *store.Run) (all []picture, err error) {
	docs := map[string]string{}
	for _, k := range plot.Kinds() {
		docs[k.Name] = k.Doc
	}
	for _, kind := range kinds() {
		p, err := plot.Draw(r, kind, plot.Options{Prior: prior})
		if errors.As(err, new(report.Unusable)) {
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

// largeSVG is from how many bytes on a picture is kept as points instead of shapes: many draws are many shapes.
const largeSVG = 200_000

// manyPoints is from how many points on a picture is certain to be large, so that nobody makes its shapes.
const manyPoints = largeSVG / 5

// inline returns a picture as a part of the page.
func inline(p plot.Picture) (template.HTML, error) {
	var b bytes.Buffer
	if p.Size() < manyPoints {
		if err := plot.Write(&b, p, "svg", plot.Size{}); err != nil {
			return "", err
		}
		if b.Len() < largeSVG {
			svg := b.String()
			return template.HTML(svg[max(0, strings.Index(svg, "<svg")):]), nil // without the XML declaration
		}
		b.Reset()
	}
	if err := plot.Write(&b, p, "png", plot.Size{}); err != nil {
		return "", err
	}
	return template.HTML(`<img alt="" src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(b.Bytes()) +
		`">`), nil
}

// prediction returns the text of ppl loo, where the run can give it.
func prediction(r *store.Run) (string, error) {
	l, err := report.CrossValidate(r, "")
	if errors.As(err, new(report.Unusable)) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = l.Text(&b, 100)
	return b.String(), err
}

// digests describe the data of a run.
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
