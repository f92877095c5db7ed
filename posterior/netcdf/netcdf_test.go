package netcdf

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
)

// TestChecksum compares checksums with the values in the comment at the end of lookup3.c (Bob Jenkins, May 2006, public
// domain), driver5.
func TestChecksum(t *testing.T) {
	for text, want := range map[string]uint32{
		"": 0xdeadbeef, "Four score and seven years ago": 0x17770551,
	} {
		if got := checksum([]byte(text)); got != want {
			t.Errorf("checksum(%q) = %x, want %x", text, got, want)
		}
	}
}

// small returns a file with every feature that this package writes.
func small() Group {
	numbers := func(xs any) func(io.Writer) error {
		return func(w io.Writer) error { return binary.Write(w, binary.LittleEndian, xs) }
	}
	return Group{Attributes: []Attribute{{"model_name", "größe.ppl"}}, Groups: []Group{
		{Name: "posterior", Attributes: []Attribute{{"sampler", "renhd"}},
			Axes: []Axis{{Name: "chain", Size: 2}, {Name: "draw", Size: 3},
				{Name: "J", Size: 2, Labels: []string{"Äpfel", "b"}}},
			Arrays: []Array{
				{Name: "mu", Axes: []string{"chain", "draw"}, Write: numbers([]float64{1, 2, 3, 4, 5, 6.5})},
				{Name: "a", Kind: Int, Axes: []string{"chain", "draw", "J"},
					Write: numbers([]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -12})},
				{Name: "on", Kind: Bool, Axes: []string{"chain"}, Write: numbers([]int8{1, 0})}}},
		{Name: "observed_data", Arrays: []Array{{Name: "total", Write: numbers([]float64{9})}}},
	}}
}

// asRead is the SHA-256 of the file of small. h5py 3, netCDF4 1.7.5 and h5netcdf 1.8.2 (xarray 2026.9) read this file
// with its names, types, numbers, labels and attributes. After a change of the format, read the file with them again:
// PPL_NETCDF=FILE keeps it.
const asRead = "775bacba1e22883dc31f239b0f835d7779eab7f956ee65308f9269243686ee90"

// TestWrite checks that the file has the bytes that other programs have read, that its header gives its length, and
// that errors of the writer are returned.
func TestWrite(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, small()); err != nil {
		t.Fatal(err)
	}
	if end := binary.LittleEndian.Uint64(b.Bytes()[28:]); end != uint64(b.Len()) {
		t.Errorf("the file has %d bytes, its head says %d", b.Len(), end)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(b.Bytes())); got != asRead {
		t.Errorf("the file has SHA-256 %s", got)
	}
	if name := os.Getenv("PPL_NETCDF"); name != "" {
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	full := errors.New("full")
	if err := Write(failing{full}, small()); !errors.Is(err, full) {
		t.Errorf("a writer that fails gives %v", err)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }
