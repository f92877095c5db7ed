package store

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"ppl/runtime/sys/files"
)

// A Writer writes draws to a run directory. It keeps at most one chunk of draws per chain in memory. Different
// goroutines may append to different chains. After an error it rejects further draws and returns the same error.
//
// If there are many chains or few draws, several chains (a band) share chunk files, since creating a file takes longer
// than filling it. Such a file is written when all of its chains have filled their chunk, or when one of them needs its
// buffer; draws that other chains append later are added to it.
type Writer struct {
	mu       sync.Mutex
	disk     files.System
	dir      string
	info     Info
	store    *store
	columns  []column
	width    int // number of values in a draw's record
	chunk    int // number of draws in a chunk
	band     int // number of chains in a chunk
	buffers  []buffer
	growing  []growing
	extends  *Layout // for an extended run: its layout after the extension; run.json is not changed
	unsynced bool    // whether chunks were saved whose directories are not synced yet
	err      error
}

// A buffer holds the draws of a chain since its last full chunk that was saved, as consecutive records.
type buffer struct {
	records []float64
	draws   int // number of draws appended so far
	saved   int // number of draws in the store
}

// first returns the number of the first draw in memory, or of the next draw if there is none.
func (b *buffer) first(width int) int { return b.draws - len(b.records)/max(1, width) }

// A growing describes an array that grows along the axis draw.
type growing struct {
	key  string
	doc  *array
	axis int
}

const (
	usualChunk     = 8192    // number of draws in a chunk
	shortStep      = 1024    // chunks of a short run are multiples of this number of draws, which limits padding
	longChunk      = 32768   // draws; limited, since a checkpoint rewrites an incomplete chunk
	mostChunks     = 8       // per chain, until chunks reach longChunk, so that a long run has hundreds of files
	bufferElements = 1 << 25 // elements of all chains in memory: 256 MiB
	ownFiles       = 32      // largest number of chains with separate files in a long run
	manyArrays     = 1 << 10 // number of arrays from which chains always share files, and all files are synced at once
)

// grid returns the numbers of chains and draws in a chunk, for a run of the given number of draws and chains. A draw is
// a record of width numbers in several arrays, of which the largest has widest elements.
func grid(draws, chains, arrays, width, widest int) (band, chunk int) {
	width, widest = max(1, width), max(1, widest)
	longest := max(usualChunk, min(draws/mostChunks, longChunk))
	chunk = max(1, min(longest, chunkElements/width, bufferElements/(chains*width)))
	short := 0 < draws && draws <= chunk
	if short {
		chunk = min(chunk, (draws+shortStep-1)/shortStep*shortStep)
	}
	if chains <= ownFiles && arrays < manyArrays && !short {
		return 1, chunk
	}
	return max(1, min(chains, chunkElements/(chunk*widest))), chunk
}

func newWriter(disk files.System, dir string, l Layout, o Options) *Writer {
	columns, width := l.columns()
	widest := 0
	for _, c := range columns {
		widest = max(widest, c.v.Size())
	}
	band, chunk := grid(o.Draws, max(1, l.Chains), len(columns), width, widest)
	now := time.Now().UTC()
	return &Writer{
		disk: disk,
		dir:  dir,
		info: Info{Format: format, Status: Running, Model: o.Model, Sampler: o.Sampler, Device: o.Device, Seed: o.Seed,
			Version: o.Version, Keep: o.Keep, Process: thisProcess(), Created: now, Written: make([]int, l.Chains)},
		columns: columns,
		width:   width,
		chunk:   chunk,
		band:    band,
		buffers: make([]buffer, l.Chains),
	}
}

// ID returns the identity of the run, or "" for a run of format 1.
func (w *Writer) ID() string { return w.info.ID }

func (w *Writer) chains() int             { return len(w.buffers) }
func (w *Writer) file(name string) string { return filepath.Join(w.dir, name) }

// Append adds a draw to a chain, counted from 0. values holds the elements of Layout.Posterior (or of Prior and
// PriorPredictive, or of Predictive), then of LogPrior and LogLikelihood; stats holds those of Layout.SampleStats.
func (w *Writer) Append(chain int, values, stats []float64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if len(values)+len(stats) != w.width {
		panic("internal error: a draw of another size than the layout's")
	}
	b := &w.buffers[chain]
	if w.full(b) { // other chains of the band are behind
		w.err = w.fill(chain)
		if w.err != nil {
			return w.err
		}
	}
	b.records = append(append(b.records, values...), stats...)
	b.draws++
	if first, end := w.bandOf(chain); !slices.ContainsFunc(w.buffers[first:end], w.unfilled) {
		w.err = w.fill(chain)
	}
	return w.err
}

// bandOf returns the range of chains that share files with a chain.
func (w *Writer) bandOf(chain int) (first, end int) {
	first = chain / w.band * w.band
	return first, min(first+w.band, len(w.buffers))
}

// full reports whether the buffer of a chain is full.
func (w *Writer) full(b *buffer) bool { return b.draws-b.first(w.width) == w.chunk }

func (w *Writer) unfilled(b buffer) bool { return !w.full(&b) }

// fill writes the chunks of a band, and a checkpoint if more draws become readable.
func (w *Writer) fill(chain int) error {
	first, end := w.bandOf(chain)
	if err := w.save(first, end); err != nil {
		return err
	}
	for i := first; i < end; i++ {
		if b := &w.buffers[i]; w.full(b) {
			b.records = b.records[:0]
		}
	}
	if w.extends != nil || w.readable() == w.info.Draws {
		return nil
	}
	return w.checkpoint()
}

// readable returns the number of draws that the store holds of every chain.
func (w *Writer) readable() int {
	return slices.MinFunc(w.buffers, func(a, b buffer) int { return a.saved - b.saved }).saved
}

// save writes the draws of a band that are not in the store. It writes one file for each array and each window k, the
// draws from k·chunk on; chains of a band can be in different windows.
func (w *Writer) save(first, end int) error {
	windows := map[int]bool{}
	for _, b := range w.buffers[first:end] {
		if b.saved < b.draws {
			windows[(b.draws-1)/w.chunk] = true
		}
	}
	for k := range windows {
		if err := w.saveWindow(first, end, k); err != nil {
			return err
		}
	}
	for i := first; i < end; i++ {
		w.buffers[i].saved = w.buffers[i].draws
	}
	w.unsynced = w.unsynced || len(windows) > 0
	return nil
}

func (w *Writer) saveWindow(first, end, k int) error {
	chunks, batch := together(), files.NewBatch(w.disk, w.dir)
	for _, c := range w.columns {
		if c.v.Size() == 0 {
			continue
		}
		raw, err := w.gather(c, first, end, k)
		if err != nil {
			return batch.Close(errors.Join(err, chunks.Wait()))
		}
		file, data := w.store.packed(chunkPlace(c, first/w.band, k), raw)
		chunks.Go(func() error {
			if w.many() {
				return batch.Replace(file, data)
			}
			return files.Replace(w.disk, file, data)
		})
	}
	if err := chunks.Wait(); err != nil || w.many() {
		return batch.Close(err)
	}
	return nil
}

// many reports whether syncing the entire file system is faster than syncing each array.
func (w *Writer) many() bool { return len(w.columns) >= manyArrays }

// chunkIndex returns the index of a chunk in the chunk grid of an array.
func chunkIndex(c column, band, k int) []int {
	return append([]int{band, k}, make([]int, len(c.v.Shape))...)
}

// chunkPlace returns the place of that chunk in the store.
func chunkPlace(c column, band, k int) place { return place{c.key(), chunkKey(chunkIndex(c, band, k))} }

// together returns a group of goroutines for disk operations. Running them concurrently lets the file system commit
// many changes in one write of its journal.
func together() *errgroup.Group {
	g := new(errgroup.Group)
	g.SetLimit(16)
	return g
}

// syncChunks makes the chunks saved since the last checkpoint durable.
func (w *Writer) syncChunks() error {
	if !w.unsynced {
		return nil
	}
	w.unsynced = false
	if w.many() {
		return w.disk.SyncAll(w.dir)
	}
	dirs := together()
	for _, c := range w.columns {
		if c.v.Size() > 0 {
			dirs.Go(func() error { return w.disk.Sync(path(w.dir, c.key())) })
		}
	}
	return dirs.Wait()
}

// gather encodes one column of a band's records as a chunk. If some chain is already past window k, its draws are read
// from the existing file.
func (w *Writer) gather(c column, first, end, k int) (raw []byte, err error) {
	kind, n := kindOf(c.v), c.v.Size()
	one := w.chunk * n * width(kind) // bytes per chain
	further := func(b buffer) bool { return b.first(w.width) > k*w.chunk }
	if slices.ContainsFunc(w.buffers[first:end], further) {
		raw, err = w.store.readChunk(w.disk, w.dir, chunkPlace(c, first/w.band, k), w.band*one)
		if err != nil {
			return nil, err
		}
	} else {
		raw = make([]byte, w.band*one)
	}
	for i, b := range w.buffers[first:end] {
		if b.first(w.width) != k*w.chunk {
			continue
		}
		part := raw[i*one : i*one : (i+1)*one]
		for records := b.records; len(records) > 0; records = records[w.width:] {
			part = encode(part, kind, records[c.at:c.at+n])
		}
	}
	return raw, nil
}

// Pending returns the number of values that Flush would write, and the number of files. These are the values of
// incomplete chunks.
func (w *Writer) Pending() (numbers, files int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, b := range w.buffers {
		if b.saved == b.draws {
			continue
		}
		numbers += len(b.records)
		if i%w.band == 0 {
			files += len(w.columns)
		}
	}
	return numbers, files
}

// Flush makes all draws so far readable, including those of incomplete chunks.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = w.flush()
	}
	return w.err
}

func (w *Writer) flush() error {
	if err := w.saveAll(); err != nil {
		return err
	}
	return w.checkpoint()
}

// saveAll writes all draws that are not in the store.
func (w *Writer) saveAll() error {
	for first := 0; first < len(w.buffers); first += w.band {
		_, end := w.bandOf(first)
		if err := w.save(first, end); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint commits the saved chunks, then writes run.json.
func (w *Writer) checkpoint() error {
	if err := w.commit(); err != nil {
		return err
	}
	return w.writeInfo()
}

// commit makes the saved chunks durable and visible: it extends the coordinate draw and the arrays' shapes, then
// replaces .zmetadata.
func (w *Writer) commit() error {
	if err := w.syncChunks(); err != nil {
		return err
	}
	if err := w.grow(w.readable()); err != nil {
		return err
	}
	return w.store.consolidate()
}

// grow sets the length of the growing arrays.
func (w *Writer) grow(draws int) error {
	for _, g := range w.growing {
		if g.doc.Shape[g.axis] == draws {
			continue
		}
		if g.axis == 0 {
			if err := w.number(g.key, g.doc.Shape[0], draws); err != nil {
				return err
			}
		}
		g.doc.Shape[g.axis] = draws
		w.store.docs[g.key+"/.zarray"] = g.doc
	}
	return nil
}

// number writes the chunks of the coordinate draw (0, 1, 2, …) for draws from to to-1.
func (w *Writer) number(key string, from, to int) error {
	for k := from / w.chunk; k*w.chunk < to; k++ {
		if err := w.store.chunk(key, []int{k}, encode(nil, intType, count(k*w.chunk, w.chunk))); err != nil {
			return err
		}
	}
	return w.disk.Sync(path(w.dir, key))
}

func (w *Writer) writeInfo() error {
	if w.extends != nil {
		return nil
	}
	w.info.Draws, w.info.Updated = w.readable(), time.Now().UTC()
	for i, b := range w.buffers {
		w.info.Written[i] = b.saved
	}
	if err := writeJSON(w.disk, w.file(runFile), w.info); err != nil {
		return err
	}
	return w.disk.Sync(w.dir)
}

// Report replaces the sampler's report, which the next checkpoint writes.
func (w *Writer) Report(r SamplerReport) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.info.Report = r
}

// Close makes all draws readable and ends the run. cause is the reason for the status Failed, and is stored; nil
// otherwise. If draws cannot be written, Close marks the run as failed if possible, and returns the first error.
func (w *Writer) Close(status Status, cause error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.info.Status = status
	if cause != nil {
		w.info.Error = cause.Error()
	}
	// The status is written last, so that a run marked as ended is complete.
	last := []func() error{w.conclude, w.saveLadder, w.saveAll, w.commit, w.store.spread, w.writeInfo}
	if w.extends != nil {
		last = []func() error{w.saveAll, w.commit, w.store.spread, func() error {
			return writeJSON(w.disk, w.file(layoutFile), layoutDocument{w.info.ID, *w.extends})
		}}
	}
	for _, do := range last {
		if w.err == nil {
			w.err = do()
		}
	}
	if w.err != nil {
		w.info.Status, w.info.Error = Failed, w.err.Error()
		w.writeInfo() // best effort: w.err is returned
	}
	return w.err
}
