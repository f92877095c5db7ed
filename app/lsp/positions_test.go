package lsp

import (
	"testing"

	"go.lsp.dev/protocol"

	"ppl/lang/source"
)

// Positions count UTF-16 code units: ä is one unit, 🌱 is two.
func TestPositions(t *testing.T) {
	t.Parallel()
	const text = "a = 1\nä[\"🌱\"] = b\n\nc"
	d := &document{source: source.New("m.ppl", text)}
	for offset, want := range map[int]protocol.Position{
		0: {Line: 0, Character: 0}, 5: {Line: 0, Character: 5}, 6: {Line: 1, Character: 0}, 8: {Line: 1, Character: 1},
		10: {Line: 1, Character: 3}, 14: {Line: 1, Character: 5}, 19: {Line: 1, Character: 10},
		20: {Line: 1, Character: 11}, 21: {Line: 2, Character: 0}, 22: {Line: 3, Character: 0},
		23: {Line: 3, Character: 1},
	} {
		if got := d.position(offset); got != want {
			t.Errorf("offset %d is %+v, want %+v", offset, got, want)
		}
		if got := d.offset(want); got != offset {
			t.Errorf("%+v is offset %d, want %d", want, got, offset)
		}
	}
	if got := d.offset(protocol.Position{Line: 1, Character: 400}); text[got] != '\n' {
		t.Errorf("a position beyond the end of a line is offset %d", got)
	}
	change := &protocol.TextDocumentContentChangePartial{Text: "é", Range: protocol.Range{
		Start: protocol.Position{Line: 1, Character: 3}, End: protocol.Position{Line: 1, Character: 5}}}
	if got, want := changed(text, change), "a = 1\nä[\"é\"] = b\n\nc"; got != want {
		t.Errorf("a change gives %q, want %q", got, want)
	}
}
