package stream

import (
	"errors"
	"io"

	"ppl/compiler/datasets/datafile/rowfile"
)

// A Conversion reads a data file row by row and writes a row file.
type Conversion struct {
	Open   func() (*Input, error)
	Source func(in *Input, l *Learned) (rowfile.Source, error)
	Rows   int // the number of rows to read; 0 for all
	To     rowfile.Writer
}

// Run writes the row file. It reads the data file in several passes if necessary: a pass that finds that a column has
// another type than assumed ends with a Retyping, which the next pass uses.
func (c Conversion) Run() error {
	l := &Learned{Columns: map[int]Retyping{}, Windows: map[int]bool{}}
	for {
		err := c.Pass(l)
		var again Retyping
		if !errors.As(err, &again) {
			return err
		}
		l.add(again)
	}
}

// Pass reads the data file once and writes the row file. Its error is a Retyping if another pass is needed.
func (c Conversion) Pass(l *Learned) error {
	in, err := c.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	src, err := c.Source(in, l)
	if err != nil {
		return err
	}
	return c.To.Write(&countedRows{Source: src, in: in, conversion: c}, &in.About)
}

// reportedRows is the number of rows after which a conversion reports its progress.
const reportedRows = 1 << 12

// countedRows ends a source after Conversion.Rows rows, and reports the progress.
type countedRows struct {
	rowfile.Source
	in         *Input
	conversion Conversion
	row        int
}

func (c *countedRows) Next(record []float64) error {
	if most := c.conversion.Rows; most > 0 && c.row == most {
		return io.EOF
	}
	c.row++
	if c.row%reportedRows == 0 {
		if err := c.conversion.To.Progress(rowfile.ReadingShare * c.in.share()); err != nil {
			return err
		}
	}
	return c.Source.Next(record)
}

// share returns the share of the bytes of all files that have been read, or 0 if it is not known.
func (in *Input) share() float64 {
	info, err := in.File.Stat()
	if err != nil {
		return 0
	}
	now, total := in.Parts[in.At].Size, int64(0)
	for _, p := range in.Parts {
		total += p.Size
	}
	if total == 0 {
		now, total = info.Size(), info.Size()
	}
	at, err := in.File.Seek(0, io.SeekCurrent)
	if in.Share != nil {
		rows, all := in.Share()
		at = now * rows / max(1, all)
	}
	if err != nil || total == 0 {
		return 0
	}
	return float64(in.read+at) / float64(total)
}
