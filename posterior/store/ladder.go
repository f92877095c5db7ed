package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"ppl/runtime/sys/files"
)

// Names of the files that hold a run's Ladder, in NumPy's array format.
const (
	energiesFile = "ladder_energies.npy" // by chain, iteration and rung
	hottestFile  = "ladder_hottest.npy"  // by chain, draw and coordinate
)

// saveLadder writes the ladder of the report, or removes the files of an earlier one.
func (w *Writer) saveLadder() error {
	l := w.info.Report.Ladder
	if l == nil {
		return files.RemoveAny(w.disk, w.file(energiesFile), w.file(hottestFile))
	}
	if err := files.Replace(w.disk, w.file(energiesFile), npy(l.Energies, len(l.Betas))); err != nil {
		return err
	}
	if l.Hottest == nil {
		return files.RemoveAny(w.disk, w.file(hottestFile))
	}
	return files.Replace(w.disk, w.file(hottestFile), npy(l.Hottest, l.Dim))
}

// description is the header of an array with three axes, in NumPy's format.
const description = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d, %d), }"

// npy encodes an array in NumPy's format 1.0. Its rows, of the given width, are concatenated by chain. Chains have
// equal length.
func npy(chains [][]float64, width int) []byte {
	const align, magic = 64, "\x93NUMPY\x01\x00"
	about := fmt.Sprintf(description, len(chains), len(chains[0])/width, width)
	size := (len(magic) + 2 + len(about) + 1 + align - 1) / align * align
	b := binary.LittleEndian.AppendUint16([]byte(magic), uint16(size-len(magic)-2))
	b = fmt.Appendf(b, "%-*s\n", size-len(magic)-3, about)
	for _, chain := range chains {
		b = encode(b, realType, chain)
	}
	return b
}

// fromNPY decodes the output of npy.
func fromNPY(raw []byte) (chains [][]float64, width int, err error) {
	const before = 10 // number of bytes before the text of the header
	if len(raw) < before {
		return nil, 0, errors.New("it is cut short")
	}
	size := before + int(binary.LittleEndian.Uint16(raw[before-2:]))
	if len(raw) < size {
		return nil, 0, errors.New("it is cut short")
	}
	var n, rows int
	if _, err = fmt.Sscanf(string(raw[before:size]), description, &n, &rows, &width); err != nil {
		return nil, 0, errors.New("its header does not describe numbers with three axes")
	}
	numbers := len(raw[size:]) / 8
	if n < 1 || rows < 1 || width < 1 || numbers/n/rows != width || len(raw[size:]) != 8*n*rows*width {
		return nil, 0, errors.New("its size does not match its header")
	}
	all := make([]float64, numbers)
	for i := range all {
		all[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[size+8*i:]))
	}
	for ; len(all) > 0; all = all[rows*width:] {
		chains = append(chains, all[:rows*width])
	}
	return chains, width, nil
}

// Ladder reads the ladder of a run. It returns nil if the run has none, for example if an earlier version of ppl wrote
// it.
func (r *Run) Ladder() (*Ladder, error) {
	l := &Ladder{}
	for _, t := range r.Info.Report.Temperatures {
		l.Betas = append(l.Betas, 1/t)
	}
	var rungs int
	var err error
	l.Energies, rungs, err = r.npy(energiesFile)
	if err != nil || l.Energies == nil {
		return nil, err
	}
	if rungs != len(l.Betas) {
		return nil, damaged(r.Dir, energiesFile, fmt.Errorf("it has %d rungs, and the run has %d", rungs,
			len(l.Betas)))
	}
	l.Hottest, l.Dim, err = r.npy(hottestFile)
	return l, err
}

// npy reads an array. It returns nil if the file does not exist.
func (r *Run) npy(name string) (chains [][]float64, width int, err error) {
	raw, err := readDocument(r.disk, r.Dir, name, mostLadder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	if chains, width, err = fromNPY(raw); err != nil {
		return nil, 0, damaged(r.Dir, name, err)
	}
	return chains, width, nil
}
