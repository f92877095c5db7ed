package render

import (
	"fmt"

	"ppl/compiler/backend/ir"
)

// A form describes how a value is held: one number or one for each lane of a block (wide), in double or single
// precision.
type form struct{ wide, single bool }

// A format is how the text names a form: its type, the suffix of its functions, and the function that fills all lanes
// with one number.
type format struct{ typ, suffix, splat string }

func (f form) format() format {
	switch f {
	case form{}:
		return format{"real", "s", ""}
	case form{wide: true}:
		return format{"wide", "w", "splat"}
	case form{single: true}:
		return format{"single", "fs", ""}
	}
	return format{"singles", "fw", "splat_f"}
}

func (f form) typ() string    { return f.format().typ }
func (f form) suffix() string { return f.format().suffix }

// double returns the form in double precision.
func (f form) double() form { return form{wide: f.wide} }

// number returns the form of a single number with the same precision.
func (f form) number() form { return form{single: f.single} }

// constant returns the text of a constant, converted to the form.
func (f form) constant(text string) string { return convert(text, f.number(), f) }

// form returns the form of a buffer's elements. Integers are stored as real.
func (f *file) form(id ir.BufID) form { return form{f.wide(id), f.Buffers[id].Type == ir.F32} }

// wide reports whether an element of a buffer holds the values of several adjacent lanes.
func (f *file) wide(id ir.BufID) bool {
	return f.Buffers[id].Space != ir.Shared && f.Layout == ir.Interleaved
}

// convert converts the text of a value from one form to another.
func convert(text string, from, to form) string {
	switch {
	case from.single == to.single:
	case from.wide:
		text = fmt.Sprintf("%s_from(%s)", form{true, to.single}.typ(), text)
	default:
		text = fmt.Sprintf("(%s)(%s)", form{false, to.single}.typ(), text)
	}
	if to.wide && !from.wide {
		text = fmt.Sprintf("%s(%s)", to.format().splat, text)
	}
	return text
}
