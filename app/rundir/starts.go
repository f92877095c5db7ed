package rundir

import (
	"fmt"
	"path/filepath"

	"ppl/infer/checkpoint"
	"ppl/runtime/sys/files"
)

// startsFile stores the starting points of the chains, for resuming the run after the argument of --init has changed.
const startsFile = "starts"

// WriteStarts stores the starting points, by chain. It writes no file if there are none.
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

// mostStarts is the maximum size of the file, in bytes.
const mostStarts = 1 << 30

// ReadStarts reads the points that WriteStarts stored.
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
