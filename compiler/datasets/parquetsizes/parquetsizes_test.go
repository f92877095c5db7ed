package parquetsizes

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"
)

// matches reports whether the text of an error contains want; if want is "", whether there is no error.
func matches(err error, want string) bool {
	if want == "" {
		return err == nil
	}
	return err != nil && strings.Contains(err.Error(), want)
}

// structEnd returns the position where a structure ends, and refuses lengths that go beyond the text. The bytes follow
// the specification of the compact protocol.
func TestStructEnd(t *testing.T) {
	for name, test := range map[string]struct {
		text []byte
		end  int
		want string
	}{
		"empty":               {[]byte{0, 9, 9}, 1, ""},
		"i32 1":               {[]byte{0x15, 2, 0}, 3, ""},
		"bool":                {[]byte{0x11, 0}, 2, ""},
		"long field number":   {[]byte{0x05, 0x80, 1, 2, 0}, 5, ""},
		"text of 3":           {[]byte{0x18, 3, 'a', 'b', 'c', 0}, 6, ""},
		"list of 2 i32":       {[]byte{0x19, 0x25, 2, 4, 0}, 5, ""},
		"list of 16 bools":    {append([]byte{0x19, 0xf1, 16}, make([]byte, 17)...), 20, ""},
		"struct in a struct":  {[]byte{0x1c, 0x15, 2, 0, 0}, 5, ""},
		"map":                 {[]byte{0x1b, 1, 0x55, 2, 4, 0}, 6, ""},
		"no end":              {[]byte{0x15, 2}, 0, "ends within"},
		"text longer":         {[]byte{0x18, 4, 'a', 'b', 'c'}, 0, "ends within"},
		"list of 2^31 i32":    {[]byte{0x19, 0xf5, 0x80, 0x80, 0x80, 0x80, 8, 0}, 0, "ends within"},
		"map of 2^31":         {[]byte{0x1b, 0x80, 0x80, 0x80, 0x80, 8, 0x55}, 0, "ends within"},
		"number of 70 bits":   {append([]byte{0x15}, bytes.Repeat([]byte{0xff}, 11)...), 0, "64 bits"},
		"nested without end":  {bytes.Repeat([]byte{0x1c}, 1000), 0, "too deeply"},
		"lists without end":   {append([]byte{0x19}, bytes.Repeat([]byte{0x1c}, 1000)...), 0, "too deeply"},
		"unknown type":        {[]byte{0x1e, 0}, 0, "unknown type 14"},
		"nothing":             {nil, 0, "ends within"},
		"list without length": {[]byte{0x19}, 0, "ends within"},
	} {
		if end, err := structEnd(test.text); !matches(err, test.want) || err == nil && end != test.end {
			t.Errorf("%s: %d, %v; want %d, %q", name, end, err, test.end, test.want)
		}
	}
}

// Runs are refused if they declare more values than the page has.
func TestRuns(t *testing.T) {
	run := func(count uint64, value ...byte) []byte { return append(binary.AppendUvarint(nil, count<<1), value...) }
	for name, test := range map[string]struct {
		text []byte
		want string
	}{
		"none": {nil, ""}, "100 ones": {run(100, 1), ""}, "filled up": {run(104, 1), ""},
		"packed 8":       {append(binary.AppendUvarint(nil, 1<<1|1), 0xaa), ""},
		"2^40":           {run(1<<40, 1), "declares 1099511627776 values in a page of 100"},
		"packed 2^60":    {binary.AppendUvarint(nil, 1<<57<<1|1), "declares 1152921504606846976 values"},
		"many together":  {bytes.Repeat(run(100, 1), 100), "a run declares"},
		"cut off number": {[]byte{0x80}, "cut off"},
	} {
		if err := runs(test.text, 1, 100); !matches(err, test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// deltas encodes integers as the specification says, in blocks of 128 that have 4 parts each.
func deltas(values ...int64) []byte {
	text := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 128), 4), uint64(len(values)))
	text = binary.AppendVarint(text, values[0])
	for at := 1; at < len(values); at += 128 {
		text = append(binary.AppendVarint(text, -1000), 16, 16, 16, 16)
		for k := at; k < at+128 && (k < len(values) || (k-at)%32 != 0); k++ { // parts without values have no bytes
			d := int64(0)
			if k < len(values) {
				d = values[k] - values[k-1] + 1000
			}
			text = binary.LittleEndian.AppendUint16(text, uint16(d))
		}
	}
	return text
}

// The integers of a list are read as they were written, and lists with impossible headers are refused.
func TestDeltas(t *testing.T) {
	want := []int64{7}
	for i := range 300 {
		want = append(want, want[i]+int64(i*37%900)-300)
	}
	got, rest, err := deltaValues(append(deltas(want...), 'x'), 301)
	if err != nil || string(rest) != "x" || len(got) != len(want) {
		t.Fatalf("%d values, %q left, %v", len(got), rest, err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("value %d is %d, want %d", i, got[i], want[i])
		}
	}
	head := func(parts ...uint64) (text []byte) {
		for _, p := range parts {
			text = binary.AppendUvarint(text, p)
		}
		return text
	}
	for name, test := range map[string]struct {
		text []byte
		want string
	}{
		"more values than rows": {head(128, 4, 1<<40, 0), "declares 1099511627776 values"},
		"a huge block":          {head(1<<40, 4, 100, 0), "invalid blocks: 1099511627776 values"},
		"no parts":              {head(128, 0, 100, 0), "in 0 parts"},
		"more parts than block": {head(8, 16, 100, 0), "in 16 parts"},
		"cut off":               {head(128, 4, 100, 0), "cut off"},
		"80 bits":               {append(head(128, 4, 100, 0, 0), 80, 80, 80, 80), "cut off"},
	} {
		if _, _, err := deltaValues(test.text, 301); !matches(err, test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// The bytes of texts with shared beginnings are counted for the complete texts, which can be much longer than the bytes
// in the file.
func TestDeltaTexts(t *testing.T) {
	lengths := func(n int, of func(i int) int64) []byte {
		values := make([]int64, n)
		for i := range values {
			values[i] = of(i)
		}
		return deltas(values...)
	}
	const n = 300
	growing := append(lengths(n, func(i int) int64 { return int64(i) }), lengths(n, func(int) int64 { return 1 })...)
	growing = append(growing, bytes.Repeat([]byte("a"), n)...)
	if taken, err := deltaTexts(growing, n, true, 1<<20); err != nil || taken != 4*n+n*(n+1)/2 {
		t.Errorf("%d bytes, %v", taken, err)
	}
	var much ErrTooMuch
	if _, err := deltaTexts(growing, n, true, 10000); !errors.As(err, &much) || much.Bytes <= 10000 {
		t.Errorf("texts beyond the limit: %v", err)
	}
	longer := append(lengths(2, func(int) int64 { return 5 }), "abc"...)
	if _, err := deltaTexts(longer, 2, false, 1<<20); !errors.Is(err, errLonger) {
		t.Errorf("a text beyond its page: %v", err)
	}
}

// A footer is accepted only if it is that of a Parquet file, and its metadata are not longer than the file.
func TestFooter(t *testing.T) {
	text := fileOf(t, "mixed.parquet")
	end := len(text) - 8
	declaring := func(n uint32) []byte {
		return binary.LittleEndian.AppendUint32(bytes.Clone(text[:end]), n)
	}
	for name, test := range map[string]struct {
		text []byte
		want string
	}{
		"as it is": {text, ""}, "empty": {nil, "cut off"}, "cut": {text[:end+3], "cut off"},
		"encrypted":                     {append(bytes.Clone(text[:len(text)-1]), 'E'), "encrypted"},
		"metadata longer than the file": {append(declaring(math.MaxUint32), "PAR1"...), "longer than the file"},
		"metadata of no bytes":          {append(declaring(0), "PAR1"...), "cannot be read"},
	} {
		if err := Footer(bytes.NewReader(test.text), int64(len(test.text))); !matches(err, test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

func fileOf(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../datafile/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Undamaged files are accepted, and refused if a limit is too small for their pages.
func TestGroup(t *testing.T) {
	for _, name := range []string{"mixed.parquet", "dates.parquet", "packed1.parquet", "packed2.parquet"} {
		text := fileOf(t, name)
		f, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Fatal(err)
		}
		taken, err := Group(bytes.NewReader(text), f, 0, Limits{1 << 30, 1 << 30})
		if err != nil || taken < 20 {
			t.Errorf("%s: %d bytes, %v", name, taken, err)
		}
		for _, most := range []Limits{{8, 1 << 30}, {1 << 30, taken - 1}} {
			if _, err := Group(bytes.NewReader(text), f, 0, most); !errors.As(err, new(ErrTooMuch)) {
				t.Errorf("%s within %v: %v", name, most, err)
			}
		}
	}
}

// For each codec, a page that declares a size much greater than its own is refused. Snappy pages contain their size.
func TestDecompressed(t *testing.T) {
	held := bytes.Repeat([]byte("abcd"), 1000)
	for codec, with := range map[format.CompressionCodec]compress.Codec{format.Snappy: &parquet.Snappy,
		format.Gzip: &parquet.Gzip, format.Zstd: &parquet.Zstd, format.Brotli: &parquet.Brotli,
		format.Lz4Raw: &parquet.Lz4Raw} {
		packed, err := with.Encode(nil, held)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decompressed(codec, packed, int64(len(held)), 1<<20); err != nil || !bytes.Equal(got, held) {
			t.Errorf("%v: %d bytes, %v", codec, len(got), err)
		}
		if _, err := decompressed(codec, packed[:len(packed)/2], int64(len(held)), 1<<20); err == nil {
			t.Errorf("%v: a half is decompressed", codec)
		}
		if codec == format.Snappy {
			continue // has its own size
		}
		if _, err := decompressed(codec, packed, 1<<28, 1<<30); err == nil {
			t.Errorf("%v: 2^28 bytes are declared for 4,000", codec)
		}
	}
}
