// Package library writes a program as the C text of a shared library for other languages. The text consists of the
// loops of package render, the data, and a driver with the functions of ppl_density.h.
//
//	l := library.Library{Program: p, Description: `{"dimension": 2, …}`, Dimension: 2, Values: 2}
//	l.WriteBlob(file)                // writes the data; the C text includes this file by name
//	text, err := l.Text(file.Name())
package library

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/render"
)

// Header is the text of c/ppl_density.h.
//
//go:embed c/ppl_density.h
var Header string

//go:embed c/driver.c
var driver string

// Names of the program's entries and lane buffers that the driver uses.
const (
	Density   = "density"     // computes Value and Gradient with respect to the unconstrained coordinates
	Own       = "own_density" // computes OwnValue and OwnGradient on the scale of the parameters
	Constrain = "constrain"   // computes Parameters from Theta

	Theta       = "theta"
	Value       = "value"
	Gradient    = "gradient"
	OwnValue    = "own_value"
	OwnGradient = "own_gradient"
	Parameters  = "parameters"
)

// A Library describes the shared library to write.
type Library struct {
	Program     *ir.Program // must have the entries and the lane buffers above
	Description []byte      // JSON text that ppl_describe returns
	Dimension   int         // number of unconstrained coordinates
	Values      int         // total number of elements of all parameters
}

// alignment is the alignment of each piece of data in the blob, in bytes.
const alignment = 64

func aligned(n int) int { return (n + alignment - 1) / alignment * alignment }

// WriteBlob writes the data of the library: the description with a terminating zero byte, then the initial values of
// each shared buffer in the binary format that the C code reads.
func (l Library) WriteBlob(w io.Writer) error {
	if err := padded(w, append(slices.Clone(l.Description), 0)); err != nil {
		return err
	}
	narrow := l.Program.Bytes()
	for i, b := range l.Program.Buffers {
		if !inBlob(b) {
			continue
		}
		if err := padded(w, encoded(b, narrow[i])); err != nil {
			return err
		}
	}
	return nil
}

func padded(w io.Writer, text []byte) error {
	_, err := w.Write(append(text, make([]byte, aligned(len(text))-len(text))...))
	return err
}

func inBlob(b ir.Buffer) bool { return b.Space == ir.Shared && !b.Init.None() }

// elementBytes returns the size in bytes of one element of a buffer; a narrow buffer stores one byte per element.
func elementBytes(b ir.Buffer, narrow bool) int {
	if narrow {
		return 1
	}
	return b.Type.Bytes()
}

// encoded returns the initial values of a buffer as bytes. I32 values are truncated and stored as doubles.
func encoded(b ir.Buffer, narrow bool) []byte {
	out := make([]byte, 0, b.Size*elementBytes(b, narrow))
	for _, v := range b.Init.All() {
		switch {
		case narrow:
			out = append(out, byte(v))
		case b.Type == ir.F32:
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
		case b.Type == ir.I32:
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(math.Trunc(v)))
		default:
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out
}

// Text returns the C text, which includes the blob from the file named blob.
func (l Library) Text(blob string) (string, error) {
	if strings.ContainsAny(blob, "\"\\\n") {
		return "", fmt.Errorf("the path %q of a temporary file contains a quote, backslash or line break; set TMPDIR "+
			"to another folder", blob)
	}
	tables, err := l.tables()
	if err != nil {
		return "", err
	}
	loops := strings.ReplaceAll(render.C(l.Program), `__attribute__((visibility("default")))`,
		"static __attribute__((unused))")
	return loops + fmt.Sprintf(includeBlob, blob) + tables + driver, nil
}

// includeBlob is assembler text that makes the contents of the blob file available as the symbol ppl_blob.
const includeBlob = `
#ifdef __APPLE__
__asm__(".section __TEXT,__const\n.balign 64\n.private_extern _ppl_blob\n_ppl_blob:\n.incbin \"%[1]s\"\n.text\n");
#else
__asm__(".pushsection .rodata\n.balign 64\n.globl ppl_blob\n.hidden ppl_blob\nppl_blob:\n.incbin \"%[1]s\"\n"
        ".popsection\n");
#endif
extern const char ppl_blob[] __attribute__((visibility("hidden")));

`

// tables returns C text with the sizes, buffer numbers and entry names of the program, which the driver uses.
func (l Library) tables() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "#define DIMENSION %d\n#define VALUES %d\n#define BUFFERS %d\n", l.Dimension, l.Values,
		len(l.Program.Buffers))
	for _, name := range []string{Theta, Value, Gradient, OwnValue, OwnGradient, Parameters} {
		at := slices.IndexFunc(l.Program.Buffers, func(b ir.Buffer) bool {
			return b.Space == ir.Lane && b.Name == name
		})
		if at < 0 || l.Program.Buffers[at].Type != ir.F64 {
			return "", fmt.Errorf("library: the program has no lane buffer %q of doubles", name)
		}
		fmt.Fprintf(&b, "#define %s %d\n", strings.ToUpper(name), at)
	}
	for _, name := range []string{Density, Own, Constrain} {
		at := slices.IndexFunc(l.Program.Entries, func(e ir.Entry) bool { return e.Name == name })
		if at < 0 {
			return "", fmt.Errorf("library: the program has no entry %q", name)
		}
		fmt.Fprintf(&b, "#define %s entry%d\n", strings.ToUpper(name), at)
	}
	b.WriteString("enum { SHARED, LANE, OWN };\n" +
		"static const struct { int owner; unsigned long bytes; long from; int written; } B[] = {\n")
	results, narrow, written := render.TileResults(l.Program), l.Program.Bytes(), writtenBySetup(l.Program)
	at := aligned(len(l.Description) + 1)
	for i, x := range l.Program.Buffers {
		bytes, from := elementBytes(x, narrow[i])*x.Size, -1
		if inBlob(x) {
			from = at
			at += aligned(bytes)
		}
		owner := "OWN"
		switch x.Space {
		case ir.Shared:
			owner = "SHARED"
		case ir.Lane:
			owner = "LANE"
		}
		fmt.Fprintf(&b, "  {%s, %d, %d, %d},\n", owner, bytes*max(1, results[i]), from, written[i])
	}
	b.WriteString("  {0, 0, 0, 0}};\n")
	return b.String(), nil
}

// writtenBySetup returns, for each buffer, 1 if Setup writes the buffer and 0 otherwise.
func writtenBySetup(p *ir.Program) []int {
	out := make([]int, len(p.Buffers))
	for _, s := range p.Setup {
		for _, id := range ir.Writes(s) {
			out[id] = 1
		}
	}
	return out
}
