package budget

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"ppl/compiler/datasets/datafile/damage"
)

// Entry returns the text of an entry of a ZIP archive, and the bytes of memory that reading the text takes. It returns
// an error if these exceed left. cost returns the cost of an entry from its first bytes. Package zip returns an error
// for an entry that is longer than the archive declares.
func (m Memory) Entry(entry *zip.File, archive, name string, left int64, cost func(start []byte) Cost) (text string,
	bytes int64, err error) {
	r, err := entry.Open()
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w", name, damage.Cause(err))
	}
	defer r.Close()
	in := bufio.NewReaderSize(r, 1<<16)
	start, _ := in.Peek(1 << 16) // an entry may well be shorter
	each := cost(start).Each
	if entry.UncompressedSize64 > uint64(left/each) {
		return "", 0, m.Exceeded(archive, int64(min(entry.UncompressedSize64, math.MaxInt64)))
	}
	if entry.UncompressedSize64/MostDeflated > entry.CompressedSize64 {
		return "", 0, fmt.Errorf("%s: the file is damaged: %d compressed bytes cannot hold the %d that it declares",
			name, entry.CompressedSize64, entry.UncompressedSize64)
	}
	var b strings.Builder
	b.Grow(int(entry.UncompressedSize64))
	if _, err = io.Copy(&b, in); err != nil {
		return "", 0, fmt.Errorf("%s: %w", name, damage.Cause(err))
	}
	return b.String(), each * int64(b.Len()), nil
}
