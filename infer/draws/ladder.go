package draws

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ppl/runtime/files"
)

// ladderFile has the Ladder of a run that has one, as JSON.
const ladderFile = "ladder.json.gz"

// A Ladder has draws of all rungs of a ladder, cold to hot, for estimates of the evidence: of many iterations, those of
// every second, fourth and so on.
type Ladder struct {
	Betas []float64 // inverse temperatures
	// What they multiply, the log likelihood or the log density, by chain: iteration by iteration, those of all rungs.
	// NaN where it is not finite.
	Energies [][]float64
	Dim      int         // coordinates of the target
	Hottest  [][]float64 // positions on the hottest rung, by chain, end to end; nil where its integral is known
}

type ladderDocument struct {
	Betas    []float64   `json:"inverse_temperatures"`
	Energies [][]Number  `json:"energies"`
	Dim      int         `json:"dimension"`
	Hottest  [][]float64 `json:"hottest,omitempty"`
}

// saveLadder writes the ladder of the report, and takes back the file of one that the run had before.
func (w *Writer) saveLadder() error {
	l := w.info.Report.Ladder
	if l == nil {
		return files.RemoveAny(w.disk, w.file(ladderFile))
	}
	doc := ladderDocument{Betas: l.Betas, Dim: l.Dim, Hottest: l.Hottest}
	for _, chain := range l.Energies {
		doc.Energies = append(doc.Energies, Numbers(chain))
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return files.Replace(w.disk, w.file(ladderFile), b.Bytes())
}

// Ladder reads the ladder of a run; nil where it has none, as where the run is of an earlier version of ppl.
func (r *Run) Ladder() (*Ladder, error) {
	f, err := os.Open(filepath.Join(r.Dir, ladderFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var doc ladderDocument
	z, err := gzip.NewReader(f)
	if err == nil {
		err = json.NewDecoder(z).Decode(&doc)
	}
	if err != nil {
		return nil, damaged(r.Dir, ladderFile, err)
	}
	l := &Ladder{Betas: doc.Betas, Dim: doc.Dim, Hottest: doc.Hottest}
	for _, chain := range doc.Energies {
		l.Energies = append(l.Energies, floats(chain))
	}
	if !l.sound() {
		return nil, damaged(r.Dir, ladderFile, errors.New("its lists do not fit each other"))
	}
	return l, nil
}

// sound reports whether every chain has as many numbers, and each iteration all rungs.
func (l *Ladder) sound() bool {
	if len(l.Betas) < 2 || len(l.Energies) == 0 ||
		l.Hottest != nil && (l.Dim < 1 || len(l.Hottest) != len(l.Energies)) {
		return false
	}
	for _, chain := range l.Energies {
		if len(chain) != len(l.Energies[0]) || len(chain)%len(l.Betas) != 0 {
			return false
		}
	}
	for _, chain := range l.Hottest {
		if len(chain) != len(l.Hottest[0]) || len(chain)%l.Dim != 0 {
			return false
		}
	}
	return true
}
