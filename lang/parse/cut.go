package parse

import (
	"ppl/lang/diag"
	"ppl/lang/source"
)

// nesting is how deep brackets may nest, and reach how many tokens may stand between an expression's outermost token
// and its innermost: together they bound the depth of the tree, over which later stages recurse.
const (
	nesting = 500
	reach   = 20_000
)

// A piece is the tokens of one statement. A block in it stands as one token of kind body.
type piece struct {
	tokens []token
	broken bool // a mistake in it has been reported, so it is not parsed
}

// A block is what stands between { and }.
type block struct {
	open, close token // close is the zero token if the block is not closed
	pieces      []piece
}

// A cutting is a text cut into statements; the blocks within are found by the offset of their {.
type cutting struct {
	pieces []piece
	blocks map[int]*block
}

// closer of each opening bracket.
func closer(open string) string {
	switch open {
	case "(":
		return ")"
	case "[":
		return "]"
	case "{":
		return "}"
	}
	return ""
}

// match pairs the brackets and reports those without a partner. It returns them by index, and false if brackets nest
// too deep to go on.
func match(src *source.File, tokens []token, diags *diag.List) (lone map[int]bool, ok bool) {
	lone = map[int]bool{}
	var open []int // indices of brackets not closed yet
	unclosed := func(i int) diag.Entry {
		lone[i] = true
		at := spanOf(src, tokens[i])
		return diags.Errorf("E02", at, "`%s` opened on line %d is not closed", tokens[i].Value, at.Line())
	}
	for i, t := range tokens {
		switch {
		case t.Type != punct:
		case closer(t.Value) != "":
			if open = append(open, i); len(open) > nesting {
				diags.Errorf("E00", spanOf(src, t), "brackets nest more than %d deep", nesting)
				return lone, false
			}
		case t.Value == ")" || t.Value == "]" || t.Value == "}":
			partner := partnerOf(tokens, open, t.Value)
			switch {
			case partner >= 0:
				for _, o := range open[partner+1:] {
					unclosed(o)
				}
				open = open[:partner]
			case len(open) > 0 && tokens[open[len(open)-1]].Value != "{" && t.Value != "}":
				unclosed(open[len(open)-1]).Related(spanOf(src, t), "`%s` does not close it", t.Value)
				lone[i], open = true, open[:len(open)-1]
			default:
				lone[i] = true
				diags.Errorf("E00", spanOf(src, t), "`%s` closes nothing", t.Value)
			}
		}
	}
	for _, o := range open {
		unclosed(o)
	}
	return lone, true
}

// partnerOf finds in the stack of open brackets the one that closing closes, or -1. ) and ] do not look beyond a {, so
// that a mistake in one statement of a block stays there.
func partnerOf(tokens []token, open []int, closing string) int {
	for k := len(open) - 1; k >= 0; k-- {
		o := tokens[open[k]].Value
		if closer(o) == closing {
			return k
		}
		if o == "{" {
			return -1
		}
	}
	return -1
}

// A frame is a block being cut, or the file itself.
type frame struct {
	open   token
	pieces []piece
	now    piece
	depth  int // ( and [ open in the piece
}

func (f *frame) add(t token) { f.now.tokens = append(f.now.tokens, t) }

// flush ends the piece.
func (f *frame) flush() {
	if len(f.now.tokens) > 0 {
		f.pieces = append(f.pieces, f.now)
	}
	f.now, f.depth = piece{}, 0
}

// cut drops the newlines that do not end a statement and cuts at those that do.
func cut(src *source.File, tokens []token, lone map[int]bool) cutting {
	c := cutting{blocks: map[int]*block{}}
	frames := []*frame{{}}
	closeBlock := func(t token, until int) {
		f := frames[len(frames)-1]
		f.flush()
		frames = frames[:len(frames)-1]
		c.blocks[f.open.Pos.Offset] = &block{f.open, t, f.pieces}
		frames[len(frames)-1].add(token{Type: body, Value: src.Text[f.open.Pos.Offset:until], Pos: f.open.Pos})
	}
	for i, t := range tokens {
		f := frames[len(frames)-1]
		switch {
		case t.Type == newline:
			if f.depth == 0 && !goesOn(src, f.now, tokens[i+1:]) {
				f.flush()
			}
		case t.Value == "{" && t.Type == punct:
			f.now.broken = f.now.broken || lone[i]
			frames = append(frames, &frame{open: t})
		case t.Type == bad || lone[i]:
			f.now.broken = true
			f.add(t)
		case t.Value == "}" && t.Type == punct:
			closeBlock(t, end(t))
		default:
			f.add(t)
			f.depth += step(t)
		}
	}
	for len(frames) > 1 {
		closeBlock(token{}, len(src.Text))
	}
	frames[0].flush()
	c.pieces = frames[0].pieces
	return c
}

// step is +1 for an opening ( or [, -1 for a closing one.
func step(t token) int {
	if t.Type == punct {
		switch t.Value {
		case "(", "[":
			return 1
		case ")", "]":
			return -1
		}
	}
	return 0
}

// goesOn reports whether the statement begun in p continues with the tokens after the newline.
func goesOn(src *source.File, p piece, after []token) bool {
	switch {
	case len(p.tokens) == 0:
		return false
	case continues(p.tokens[len(p.tokens)-1]):
		return true
	}
	return len(after) > 0 && (resumes(after[0]) || p.broken && indented(src, p.tokens[0], after[0]))
}

// indented reports whether t stands further right than the first token of a statement: after a bracket that is not
// closed such a line is taken for the rest of it.
func indented(src *source.File, first, t token) bool {
	return spanOf(src, t).Column() > spanOf(src, first).Column()
}

// farthest is the first token farther than reach from the outermost of its expression, counting at each level of
// brackets the tokens since its last comma.
func farthest(tokens []token) (token, bool) {
	levels, total := []int{0}, 0
	for _, t := range tokens {
		top := len(levels) - 1
		switch {
		case step(t) > 0:
			levels = append(levels, 0)
		case step(t) < 0:
			total -= levels[top]
			levels = levels[:top]
		case t.Type == punct && t.Value == ",":
			total -= levels[top]
			levels[top] = 0
		}
		levels[len(levels)-1]++
		if total++; total > reach {
			return t, true
		}
	}
	return token{}, false
}
