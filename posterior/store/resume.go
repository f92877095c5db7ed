package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"ppl/runtime/sys/files"
)

// ErrNoDraws says that a run has not come to its first draw.
type ErrNoDraws struct {
	Dir  string
	Info Info
}

func (e ErrNoDraws) Error() string {
	return fmt.Sprintf("the run in %s has no draws yet (%s in warm-up)", e.Dir, e.Info.Status)
}

// Announce begins a run that has no draws yet: from here on the directory is known as ours, and what the run was asked
// for can be read. Create follows with the first draw, with Overwrite.
func Announce(disk files.System, dir string, o Options) error {
	disk = disk.Below(dir)
	w := newWriter(disk, dir, Layout{}, o)
	w.info.Updated = time.Now().UTC()
	if err := files.Replace(disk, w.file(ModelFile), o.Source); err != nil {
		return err
	}
	if err := writeJSON(disk, w.file(optionsFile), o.Resolved); err != nil {
		return err
	}
	if err := writeJSON(disk, w.file(runFile), w.info); err != nil {
		return err
	}
	return disk.Sync(dir)
}

// SetStatus records how a run that has no writer ended.
func SetStatus(disk files.System, dir string, status Status, cause error) error {
	return changeInfo(disk, dir, func(info *Info) {
		info.Status, info.Process, info.Updated, info.Error = status, thisProcess(), time.Now().UTC(), ""
		if cause != nil {
			info.Error = cause.Error()
		}
	})
}

// AddWarning adds a warning to the report of a run that has no writer, and replaces what the run was asked for. A
// warning that the report has already is not repeated.
func AddWarning(disk files.System, dir string, w Warning, resolved any) error {
	if err := writeJSON(disk.Below(dir), filepath.Join(dir, optionsFile), resolved); err != nil {
		return err
	}
	return changeInfo(disk, dir, func(info *Info) {
		if !slices.ContainsFunc(info.Report.Warnings, func(x Warning) bool { return x.Fact == w.Fact }) {
			info.Report.Warnings = append(info.Report.Warnings, w)
		}
	})
}

// AddNote adds a note to the report of a run that has no writer.
func AddNote(disk files.System, dir string, note string) error {
	return changeInfo(disk, dir, func(info *Info) { info.Report.Notes = append(info.Report.Notes, note) })
}

// SetOutlooks adds to the report of a run that has no writer what its posterior has where trajectories diverge.
func SetOutlooks(disk files.System, dir string, all []Outlook) error {
	return changeInfo(disk, dir, func(info *Info) { info.Report.Outlooks = all })
}

// changeInfo changes what is known of a run that has no writer.
func changeInfo(disk files.System, dir string, change func(*Info)) error {
	info, err := ReadInfoOn(disk, dir)
	if err != nil {
		return err
	}
	change(&info)
	return writeJSON(disk.Below(dir), filepath.Join(dir, runFile), info)
}

// ReadOptions reads what a run was asked for into options, a pointer to the type of Options.Resolved, and what is known
// of it. ErrNotRun where the directory is none.
func ReadOptions(dir string, options any) (Info, error) {
	return ReadOptionsOn(files.Disk{}, dir, options)
}

// ReadOptionsOn is ReadOptions of a run on another system than the disk of the machine.
func ReadOptionsOn(disk files.System, dir string, options any) (Info, error) {
	info, err := ReadInfoOn(disk, dir)
	if err != nil {
		return info, err
	}
	text, err := readDocument(disk, dir, optionsFile, mostOptions)
	if err != nil {
		return info, incomplete(dir, err)
	}
	if err := json.Unmarshal(text, options); err != nil {
		return info, damaged(dir, optionsFile, jsonError(err))
	}
	return info, nil
}

// Clear removes what belongs to a run, its lock and checkpoints excepted, and leaves whatever else is in the directory.
func Clear(disk files.System, dir string) error {
	disk = disk.Below(dir)
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return err
	}
	if _, err := ReadInfoOn(disk, dir); err != nil {
		return err
	}
	if err := remove(disk, dir, entries); err != nil {
		return err
	}
	return files.RemoveAny(disk, filepath.Join(dir, optionsFile), filepath.Join(dir, ModelFile),
		filepath.Join(dir, runFile)) // this one last: until then this is a run
}

// Resume opens a run to append to it, with as many draws of each chain as given; later ones are taken back,
// and replicates of the data and predictions are removed. The draws of an unfinished chunk are read from the store.
func Resume(disk files.System, dir string, layout Layout, counts []int, o Options) (*Writer, error) {
	disk = disk.Below(dir)
	r, err := OpenOn(disk, dir)
	if err != nil {
		return nil, err
	}
	now := r.Layout
	now.Predictive, now.GivenUnknowns, now.LeftOutReplicates = nil, nil, nil // of fewer draws
	now.Predictions, now.PredictedAt = nil, nil
	if !sameArrays(now, layout) || len(counts) != layout.Chains {
		return nil, damaged(dir, layoutFile, errors.New("it has other arrays, or another number of chains, than the "+
			"run was asked for"))
	}
	if err := writeJSON(disk, filepath.Join(dir, layoutFile), layoutDocument{r.Info.ID, now}); err != nil {
		return nil, err
	}
	w := newWriter(disk, dir, layout, o)
	w.info.Created, w.info.Format, w.info.ID = r.Info.Created, r.Info.Format, r.Info.ID
	if w.store, err = openStore(disk, dir, r.bound); err != nil {
		return nil, err
	}
	for _, g := range []string{predictive, predictions, predictedAt} {
		if err := w.store.drop(g); err != nil {
			return nil, err
		}
	}
	w.band, w.chunk = r.cut() // that of the number of draws the run was begun for
	if err := w.regrow(); err != nil {
		return nil, err
	}
	if err := w.reread(counts); err != nil {
		return nil, ErrDamaged{dir, err}
	}
	if err := writeJSON(disk, w.file(optionsFile), o.Resolved); err != nil {
		return nil, err
	}
	return w, w.checkpoint()
}

// cut returns how many chains and draws a chunk of a run has.
func (r *Run) cut() (band, chunk int) {
	columns, _ := r.Layout.columns()
	chunks := r.arrays[columns[0].key()].Chunks
	return chunks[0], chunks[1]
}

// sameArrays compares what is kept of every draw.
func sameArrays(a, b Layout) bool {
	columnsA, _ := a.columns()
	columnsB, _ := b.columns()
	return a.Chains == b.Chains && slices.EqualFunc(columnsA, columnsB, func(x, y column) bool {
		return x.key() == y.key() && kindOf(x.v) == kindOf(y.v) && slices.Equal(x.v.Shape, y.v.Shape)
	})
}

// regrow finds the streamed arrays among the documents of a store that is there.
func (w *Writer) regrow() error {
	groups := map[string]bool{}
	add := func(key string, axis int) error {
		doc := &array{}
		text, known := w.store.docs[key+"/.zarray"].(json.RawMessage)
		if !known {
			return incomplete(w.dir, fmt.Errorf("%s/.zarray: %w", key, fs.ErrNotExist))
		}
		if err := json.Unmarshal(text, doc); err != nil {
			return damaged(w.dir, ".zmetadata", jsonError(err))
		}
		if axis == 1 && (len(doc.Chunks) < 2 || doc.Chunks[0] != w.band || doc.Chunks[1] != w.chunk) {
			return damaged(w.dir, key, errors.New("has other chunks than the arrays before it"))
		}
		w.store.docs[key+"/.zarray"] = doc
		w.growing = append(w.growing, growing{key, doc, axis})
		return nil
	}
	for _, c := range w.columns {
		if !groups[c.group] {
			groups[c.group] = true
			if err := add(c.group+"/draw", 0); err != nil {
				return err
			}
		}
		if err := add(c.key(), 1); err != nil {
			return err
		}
	}
	return nil
}

// reread fills the buffers of chains that have n draws each with those of their unfinished chunks.
func (w *Writer) reread(counts []int) error {
	for chain, n := range counts {
		w.buffers[chain] = buffer{make([]float64, n%w.chunk*w.width), n, n}
	}
	for first := 0; first < len(w.buffers); first += w.band {
		windows := map[int]bool{}
		_, end := w.bandOf(first)
		for _, n := range counts[first:end] {
			if n%w.chunk > 0 {
				windows[n/w.chunk] = true
			}
		}
		for k := range windows {
			if err := w.rereadWindow(first, end, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// rereadWindow is reread for the chains of a band whose unfinished chunk is the k-th.
func (w *Writer) rereadWindow(first, end, k int) error {
	for _, c := range w.columns {
		size := c.v.Size()
		if size == 0 {
			continue
		}
		raw, err := w.store.readChunk(w.disk, w.dir, chunkPlace(c, first/w.band, k),
			w.band*w.chunk*size*width(kindOf(c.v)))
		if err != nil {
			return err
		}
		values := decode(nil, raw, kindOf(c.v))
		for i := range w.buffers[first:end] {
			b := &w.buffers[first+i]
			if b.draws/w.chunk != k {
				continue
			}
			mine := values[i*w.chunk*size:]
			for draw := range b.draws % w.chunk {
				copy(b.records[draw*w.width+c.at:], mine[draw*size:(draw+1)*size])
			}
		}
	}
	return nil
}
