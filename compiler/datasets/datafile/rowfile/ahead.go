package rowfile

// A reading reads the rows of a source in a separate goroutine, so that decoding a data file and writing a row file use
// two cores. It reads at most a few batches of rows ahead.
//
//	r := readAhead(src, width)
//	defer r.end()
//	for err := r.next(record); err == nil; err = r.next(record) {
//	}
type reading struct {
	src   Source
	width int // number of elements of a record
	now   batch
	full  chan batch     // batches in the order of the file; closed after the last one
	free  chan []float64 // memory of batches that have been used
	quit  chan struct{}  // closed when no more rows are needed
}

// A batch holds some records, and the error with which the row after them could not be read.
type batch struct {
	values   []float64
	rows     int
	next     int // index of the next row to use
	err      error
	panicked any // value of a panic in the source, which the caller's goroutine raises again
}

const (
	batchesAhead = 3
	batchNumbers = 1 << 14 // approximate number of values of a batch, so that wide rows do not need much memory
)

func readAhead(src Source, width int) *reading {
	r := &reading{src: src, width: width, full: make(chan batch, batchesAhead),
		free: make(chan []float64, batchesAhead), quit: make(chan struct{})}
	for range batchesAhead {
		r.free <- nil
	}
	go r.run()
	return r
}

// run reads batches until the source ends or the caller needs no more.
func (r *reading) run() {
	defer close(r.full)
	for {
		select {
		case <-r.quit:
			return
		case memory := <-r.free:
			b := r.fill(memory)
			r.full <- b // there is room, since at most batchesAhead batches exist
			if b.err != nil || b.panicked != nil {
				return
			}
		}
	}
}

// fill reads the next batch.
func (r *reading) fill(memory []float64) (b batch) {
	defer func() { b.panicked = recover() }()
	most := max(1, batchNumbers/max(1, r.width))
	if memory == nil {
		memory = make([]float64, most*r.width)
	}
	b.values = memory
	for b.rows < most {
		b.err = r.src.Next(memory[b.rows*r.width : (b.rows+1)*r.width])
		if b.err != nil {
			break
		}
		b.rows++
	}
	return b
}

// next copies the next record. Its error is that of the source, after all rows before it.
func (r *reading) next(record []float64) error {
	for r.now.next == r.now.rows {
		switch {
		case r.now.panicked != nil:
			panic(r.now.panicked)
		case r.now.err != nil:
			return r.now.err
		case r.now.values != nil:
			r.free <- r.now.values
		}
		r.now = <-r.full
	}
	at := r.now.next * r.width
	copy(record, r.now.values[at:at+r.width])
	r.now.next++
	return nil
}

// end waits until the goroutine has ended, after which the source may be used again.
func (r *reading) end() {
	close(r.quit)
	for range r.full {
	}
}
