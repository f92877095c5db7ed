package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"ppl/lang/names"
)

var symbolKinds = map[names.Kind]protocol.SymbolKind{
	names.Data:      protocol.SymbolKindConstant,
	names.Drawn:     protocol.SymbolKindVariable,
	names.Defined:   protocol.SymbolKindField,
	names.Generated: protocol.SymbolKindEvent,
	names.Function:  protocol.SymbolKindFunction,
	names.Template:  protocol.SymbolKindClass,
}

// DocumentSymbol lists the declarations in a text, for its outline.
func (s *server) DocumentSymbol(_ context.Context, p *protocol.DocumentSymbolParams) (r protocol.DocumentSymbolResult,
	err error) {
	defer guard(&err)
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	out := protocol.DocumentSymbolSlice{}
	seen := map[*names.Symbol]bool{}
	for _, o := range d.names().All() {
		kind, outlined := symbolKinds[o.Symbol.Kind]
		if !outlined || seen[o.Symbol] || o.Symbol.Scope.End-o.Symbol.Scope.Start < len(d.source.Text) {
			continue
		}
		seen[o.Symbol] = true
		detail, whole := d.statementOf(o.Symbol), o.Symbol.At
		if st := d.statementAt(whole); st != nil {
			whole = st.Span()
		}
		out = append(out, protocol.DocumentSymbol{Name: o.Symbol.Name, Detail: &detail, Kind: kind,
			Range: d.rangeOf(whole), SelectionRange: d.rangeOf(o.Symbol.At)})
	}
	return out, nil
}

// tokenTypes and tokenModifiers list the types and modifiers of tokens; the protocol refers to them by index and by
// bit.
var (
	tokenTypes = []string{
		string(protocol.SemanticTokenTypesVariable), string(protocol.SemanticTokenTypesParameter),
		string(protocol.SemanticTokenTypesFunction), string(protocol.SemanticTokenTypesType),
	}
	tokenModifiers = []string{
		string(protocol.SemanticTokenModifiersDeclaration), string(protocol.SemanticTokenModifiersReadonly),
		string(protocol.SemanticTokenModifiersDefaultLibrary),
	}
)

const (
	asVariable = iota
	asParameter
	asFunction
	asType

	declaration    = 1 << 0
	readonly       = 1 << 1
	defaultLibrary = 1 << 2
)

// tokenKinds maps the kind of a name to the token type and modifiers with which the editor shows it.
var tokenKinds = map[names.Kind][2]uint32{
	names.Data:      {asVariable, readonly},
	names.Size:      {asVariable, readonly},
	names.Drawn:     {asVariable, 0},
	names.Defined:   {asVariable, 0},
	names.Generated: {asVariable, 0},
	names.Function:  {asFunction, 0},
	names.Template:  {asType, 0},
	names.Parameter: {asParameter, 0},
	names.Index:     {asParameter, 0},
}

// SemanticTokensFull lists the names in a text with their types and modifiers.
func (s *server) SemanticTokensFull(_ context.Context, p *protocol.SemanticTokensParams) (t *protocol.SemanticTokens,
	err error) {
	defer guard(&err)
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	t = &protocol.SemanticTokens{Data: []uint32{}}
	var before protocol.Position
	for _, o := range d.names().All() {
		kind, ok := tokenKinds[o.Symbol.Kind]
		if w, known := s.words[o.Symbol.Name]; o.Symbol.Kind == names.Elsewhere && known {
			kind, ok = [2]uint32{asFunction, defaultLibrary}, true
			if w.Kind == protocol.CompletionItemKindClass {
				kind[0] = asType
			}
		}
		if !ok {
			continue
		}
		if o.Declare {
			kind[1] |= declaration
		}
		at := d.rangeOf(o.At)
		line, column := at.Start.Line-before.Line, at.Start.Character
		if line == 0 {
			column -= before.Character
		}
		t.Data = append(t.Data, line, column, at.End.Character-at.Start.Character, kind[0], kind[1])
		before = at.Start
	}
	return t, nil
}
