package checkpoint

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppl/runtime/sys/files"
)

type state struct {
	Numbers []float64
	Names   map[string]int
	Next    *state
}

func some() state {
	return state{Numbers: []float64{math.NaN(), math.Inf(-1), 1e-300, 0.1}, Names: map[string]int{"b": 1, "a": 2},
		Next: &state{Numbers: []float64{}}}
}

// anyOf finds every state usable.
func anyOf(state) error { return nil }

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	if _, _, _, err := Read(files.Disk{}, dir, anyOf); !errors.Is(err, ErrNone) {
		t.Errorf("an empty directory: %v", err)
	}
	for range 2 {
		if err := Write(files.Disk{}, dir, some()); err != nil {
			t.Fatal(err)
		}
	}
	got, _, note, err := Read(files.Disk{}, dir, anyOf)
	if err != nil || note != "" {
		t.Fatal(note, err)
	}
	if d := cmp.Diff(some(), got, cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
	first, err1 := os.ReadFile(filepath.Join(dir, File))
	second, err2 := os.ReadFile(filepath.Join(dir, before))
	if err1 != nil || err2 != nil || !bytes.Equal(first, second) {
		t.Error("equal states have other bytes")
	}
}

// TestSequence checks that a state that is written as several values is read back, from a file and from bytes, and that
// a missing value or one too many is an error.
func TestSequence(t *testing.T) {
	dir := t.TempDir()
	write := func(of ...any) Rest {
		t.Helper()
		if err := Write(files.Disk{}, dir, of...); err != nil {
			t.Fatal(err)
		}
		_, rest, _, err := Read(files.Disk{}, dir, anyOf)
		if err != nil {
			t.Fatal(err)
		}
		return rest
	}
	long := parts{{1, 2}, {}, {math.Inf(1)}}
	var got parts
	if err := write(some(), long).Decode(&got); err != nil || !cmp.Equal(got, long) {
		t.Errorf("%v, %v", got, err)
	}
	text, err := Encode(long)
	if got = nil; err == nil {
		err = Decode(text, &got)
	}
	if err != nil || !cmp.Equal(got, long) {
		t.Errorf("%v, %v", got, err)
	}
	if err := write(some(), []float64{1}, []float64{2}).Decode(&[]float64{}); err == nil {
		t.Error("an additional value is not an error")
	}
	if err := write(some()).Decode(&[]float64{}); err == nil {
		t.Error("a missing value is not an error")
	}
}

type parts [][]float64

func (p parts) WriteValues(put func(any) error) error {
	for _, part := range p {
		if err := put(part); err != nil {
			return err
		}
	}
	return nil
}

func (p *parts) ReadValues(next func(any) error) error {
	for {
		var part []float64
		switch err := next(&part); err {
		case nil:
			*p = append(*p, part)
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// TestDamageIsRefused changes each byte of a checkpoint, and cuts it at each byte. Each time, Read must use the
// previous checkpoint.
func TestDamageIsRefused(t *testing.T) {
	dir, older := t.TempDir(), some()
	older.Names["a"] = 3
	for _, s := range []state{older, some()} {
		if err := Write(files.Disk{}, dir, s); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	damaged := map[string][]byte{}
	for i := range whole {
		cut, flipped := bytes.Clone(whole[:i]), bytes.Clone(whole)
		flipped[i] ^= 1
		damaged["cut "+string(rune(i))], damaged["flipped "+string(rune(i))] = cut, flipped
	}
	for what, text := range damaged {
		if err := os.WriteFile(filepath.Join(dir, File), text, 0o666); err != nil {
			t.Fatal(err)
		}
		got, _, note, err := Read(files.Disk{}, dir, anyOf)
		if err != nil || !strings.Contains(note, "continues from the previous checkpoint") || got.Names["a"] != 3 {
			t.Errorf("%s: %q, %v, %+v", what, note, err, got)
		}
	}
	// If the previous one is damaged too, Read returns an error.
	if err := os.WriteFile(filepath.Join(dir, before), whole[:40], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := Read(files.Disk{}, dir, anyOf); err == nil || errors.Is(err, ErrNone) {
		t.Errorf("both damaged: %v", err)
	}
}

// TestUselessIsRefused checks that Read uses the previous checkpoint if the newest is undamaged but not usable: the
// caller refuses it, it has another format, or it has a field that the state does not have.
func TestUselessIsRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(s any) {
		if err := Write(files.Disk{}, dir, s); err != nil {
			t.Fatal(err)
		}
	}
	write(state{Names: map[string]int{"a": 1}})
	write(state{Names: map[string]int{"a": 2, "b": 1}})
	few := func(s state) error {
		if len(s.Names) > 1 {
			return errors.New("has too many names")
		}
		return nil
	}
	expect := func(says string) {
		t.Helper()
		got, _, note, err := Read(files.Disk{}, dir, few)
		if err != nil || !strings.Contains(note, says) || !cmp.Equal(got.Names, map[string]int{"a": 1}) {
			t.Errorf("%q, %v, %+v; want %q", note, err, got, says)
		}
	}
	expect("has too many names; the run continues from the previous checkpoint")
	write(state{Names: map[string]int{"a": 1}})
	write(struct{ Numbers, Gone []float64 }{nil, []float64{1}})
	expect("cannot be read by this version of ppl")
	if err := os.WriteFile(filepath.Join(dir, File), []byte("ppl checkpoint 1\nx"), 0o666); err != nil {
		t.Fatal(err)
	}
	expect(`has another format: it begins with "ppl checkpoint 1", but this version of ppl reads "ppl checkpoint 2"`)
}

// TestNumbersAreExact checks that numbers are decoded exactly, and that those of single precision take at most five
// bytes.
func TestNumbersAreExact(t *testing.T) {
	numbers := []float64{0, math.Copysign(0, -1), 1, 0.1, float64(float32(0.1)), 1e-310, math.MaxFloat64, math.Pi,
		float64(math.SmallestNonzeroFloat32), math.Inf(-1), math.NaN(), math.Float64frombits(0x7ff8000000000abc)}
	text, err := Encode(numbers)
	if err != nil {
		t.Fatal(err)
	}
	var back []float64
	if err := Decode(text, &back); err != nil {
		t.Fatal(err)
	}
	for i, v := range numbers {
		if math.Float64bits(back[i]) != math.Float64bits(v) {
			t.Errorf("%v comes back as %v", v, back[i])
		}
	}
	single := make([]float64, 1000)
	for i := range single {
		single[i] = float64(float32(math.Sin(float64(i))))
	}
	if text, err = Encode(single); err != nil || len(text) > 5*len(single)+9 {
		t.Errorf("%d bytes for %d numbers: %v", len(text), len(single), err)
	}
}

// TestHugeCheckpoint checks that a checkpoint that does not fit into memory is refused before it is read. The file is
// sparse.
func TestHugeCheckpoint(t *testing.T) {
	dir, before := t.TempDir(), debug.SetMemoryLimit(1<<30)
	defer debug.SetMemoryLimit(before)
	if err := Write(files.Disk{}, dir, some()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, File)
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip(err)
	}
	_, _, _, err := Read(files.Disk{}, dir, anyOf)
	if !errors.As(err, new(ErrUnusable)) || !strings.Contains(err.Error(), path+" has 1099511627776 bytes") {
		t.Error(err)
	}
}
