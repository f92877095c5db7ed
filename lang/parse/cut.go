package parse

import (
	"ppl/lang/diag"
	"ppl/lang/source"
)

// maxNesting limits the depth of nested brackets, and maxTokens the number of tokens between an expression's outermost
// and innermost token. Together they bound the depth of the tree, so that a hostile file cannot overflow the stack of
// later stages, which recurse over the tree.
const (
	maxNesting = 500
	maxTokens  = 20_000
)

// A piece is the tokens of one statement. One token of kind body represents a block in it.
type piece struct {
	tokens []token
	broken bool // an error in it has been reported, so it is not parsed
}

// A block is the text between { and }.
type block struct {
	open, close token // close is the zero token if the block is not closed
	pieces      []piece
}

// A cutText is a text split into statements. blocks maps the offset of a { to the block.
type cutText struct {
	pieces []piece
	blocks map[int]*block
}

// closingOf returns the closing bracket for an opening bracket, or "" for other text.
func closingOf(open string) string {
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

// A matcher pairs brackets and reports unmatched ones.
type matcher struct {
	src    *source.File
	tokens []token
	diags  *diag.List
	open   []int        // indices of brackets not yet closed
	lone   map[int]bool // indices of unmatched brackets
}

// match returns the indices of unmatched brackets. ok is false if brackets are nested too deeply.
func match(src *source.File, tokens []token, diags *diag.List) (lone map[int]bool, ok bool) {
	m := matcher{src: src, tokens: tokens, diags: diags, lone: map[int]bool{}}
	for i, t := range tokens {
		switch {
		case t.Type != punct:
		case closingOf(t.Value) != "":
			m.open = append(m.open, i)
		case t.Value == ")" || t.Value == "]" || t.Value == "}":
			m.closing(i)
		}
		if len(m.open) > maxNesting {
			diags.Errorf(diag.Syntax, spanOf(src, t), "brackets are nested more than %d levels deep", maxNesting)
			return nil, false
		}
	}
	m.unclosed(m.open)
	return m.lone, true
}

// closing finds the opening bracket for the closing bracket at index i. It reports brackets opened after that one as
// not closed. If no bracket matches, it reports the innermost open bracket or the closing one.
func (m *matcher) closing(i int) {
	t, top := m.tokens[i], len(m.open)-1
	partner := partnerOf(m.tokens, m.open, t.Value)
	switch {
	case partner >= 0:
		m.unclosed(m.open[partner+1:])
		m.open = m.open[:partner]
	case top >= 0 && t.Value != "}" && m.tokens[m.open[top]].Value != "{":
		m.unclosed(m.open[top:]).Related(spanOf(m.src, t), "`%s` does not close it", t.Value)
		m.lone[i], m.open = true, m.open[:top]
	default:
		m.lone[i] = true
		m.diags.Errorf(diag.Syntax, spanOf(m.src, t), "`%s` closes no bracket", t.Value)
	}
}

// unclosed reports brackets that are not closed, and returns the entry of the last one.
func (m *matcher) unclosed(indices []int) (last diag.Entry) {
	for _, i := range indices {
		m.lone[i] = true
		last = notClosed(m.diags, spanOf(m.src, m.tokens[i]))
	}
	return last
}

func notClosed(diags *diag.List, at source.Span) diag.Entry {
	return diags.Errorf(diag.Unclosed, at, "`%s` opened on line %d is not closed", at.Text(), at.Line()).
		Help("write `%s` where it ends", closingOf(at.Text()))
}

// partnerOf returns the index, in the stack of open brackets, of the bracket that closing closes, or -1. For ) and ] it
// stops at a {, so that a mistake in one statement of a block does not affect other statements.
func partnerOf(tokens []token, open []int, closing string) int {
	for k := len(open) - 1; k >= 0; k-- {
		o := tokens[open[k]].Value
		if closingOf(o) == closing {
			return k
		}
		if o == "{" {
			return -1
		}
	}
	return -1
}

// A frame is a block that is being split, or the file itself.
type frame struct {
	open   token
	tokens []token // tokens of all pieces
	pieces []piece
	from   int // index of the first token of the current piece
	broken bool
	depth  int // number of open ( and [ in the piece
}

func (f *frame) add(t token) { f.tokens = append(f.tokens, t) }

func (f *frame) now() piece { return piece{f.tokens[f.from:len(f.tokens):len(f.tokens)], f.broken} }

// flush ends the current piece.
func (f *frame) flush() {
	if f.from < len(f.tokens) {
		f.pieces = append(f.pieces, f.now())
	}
	f.from, f.broken, f.depth = len(f.tokens), false, 0
}

// A cutter splits tokens into statements. frames are the blocks that are being split; the innermost is last.
type cutter struct {
	cutText
	src    *source.File
	frames []*frame
}

// cut splits the tokens at newlines that end a statement, and drops all other newlines.
func cut(src *source.File, tokens []token, lone map[int]bool) cutText {
	whole := &frame{tokens: make([]token, 0, len(tokens))}
	c := cutter{cutText: cutText{blocks: map[int]*block{}}, src: src, frames: []*frame{whole}}
	for i, t := range tokens {
		c.token(t, lone[i], tokens[i+1:])
	}
	for len(c.frames) > 1 {
		c.closeBlock(token{}, len(src.Text))
	}
	c.frames[0].flush()
	c.pieces = c.frames[0].pieces
	return c.cutText
}

func (c *cutter) token(t token, lone bool, after []token) {
	f := c.frames[len(c.frames)-1]
	switch {
	case t.Type == newline:
		if f.depth == 0 && !continuesAfter(c.src, f.now(), after) {
			f.flush()
		}
	case t.Type == punct && t.Value == "{":
		f.broken = f.broken || lone
		c.frames = append(c.frames, &frame{open: t})
	case t.Type == bad || lone:
		f.broken = true
		f.add(t)
	case t.Type == punct && t.Value == "}":
		c.closeBlock(t, end(t))
	default:
		f.add(t)
		f.depth += depthChange(t)
	}
}

// closeBlock ends the innermost block. t is its }, or the zero token, and until the offset at which its text ends.
func (c *cutter) closeBlock(t token, until int) {
	f := c.frames[len(c.frames)-1]
	f.flush()
	c.frames = c.frames[:len(c.frames)-1]
	c.blocks[f.open.Offset] = &block{f.open, t, f.pieces}
	whole := token{body, c.src.Text[f.open.Offset:until], f.open.Offset}
	c.frames[len(c.frames)-1].add(whole)
}

// depthChange returns +1 for an opening ( or [, -1 for a closing one, and 0 for other tokens.
func depthChange(t token) int {
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

// continuesAfter reports whether the statement that begins in p continues after the newline.
func continuesAfter(src *source.File, p piece, after []token) bool {
	switch {
	case len(p.tokens) == 0:
		return false
	case continues(p.tokens[len(p.tokens)-1]):
		return true
	}
	return len(after) > 0 && (resumes(after[0]) || p.broken && indented(src, p.tokens[0], after[0]))
}

// indented reports whether t is in a column to the right of the first token of a statement. After an unclosed bracket,
// such a line counts as a continuation. Any other line starts a new statement, so that one missing bracket does not
// invalidate the rest of the file.
func indented(src *source.File, first, t token) bool {
	return spanOf(src, t).Column() > spanOf(src, first).Column()
}

// farthest returns the first token that is more than maxTokens from the outermost token of its expression. At each
// bracket level it counts the tokens since the last comma.
func farthest(tokens []token) (token, bool) {
	levels, total := []int{0}, 0
	for _, t := range tokens {
		top := len(levels) - 1
		switch {
		case depthChange(t) > 0:
			levels = append(levels, 0)
		case depthChange(t) < 0:
			total -= levels[top]
			levels = levels[:top]
		case t.Type == punct && t.Value == ",":
			total -= levels[top]
			levels[top] = 0
		}
		levels[len(levels)-1]++
		total++
		if total > maxTokens {
			return t, true
		}
	}
	return token{}, false
}
