package rundir

import (
	"fmt"
	"path/filepath"

	"ppl/infer/checkpoint"
	"ppl/runtime/sys/files"
)

// startsFile keeps the points at which the chains of a run began, for a run that is to continue: what --init named may
// have changed by then.
const startsFile = "starts"

// WriteStarts keeps the points at which chains begin, by chain; without points no file is written.
func (d *Dir) WriteStarts(points [][][]float64) error {
	if len(points) == 0 {
		return nil
	}
	encoded, err := checkpoint.Encode(points)
	if err != nil {
		return err
	}
	return files.Replace(d.Disk, filepath.Join(d.Path, startsFile), encoded)
}

// mostStarts is how many bytes starting values may have.
const mostStarts = 1 << 30

// ReadStarts reads what WriteStarts wrote.
func (d *Dir) ReadStarts() (points [][][]float64, err error) {
	encoded, err := files.ReadOn(d.Disk, nil, filepath.Join(d.Path, startsFile), mostStarts)
	if err == nil {
		err = checkpoint.Decode(encoded, &points)
	}
	if err != nil {
		return nil, fmt.Errorf("the starting values of the run cannot be read: %w", err)
	}
	return points, nil
}

func (d *Dir) removeStarts() error { return files.RemoveAny(d.Disk, filepath.Join(d.Path, startsFile)) }
