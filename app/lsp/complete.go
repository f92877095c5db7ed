package lsp

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"ppl/compiler/datasets/bind"
	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/datafile/content"
	"ppl/lang/names"
)

// Completion lists possible completions at a position: labels of groups inside quotes, columns of the file in a data
// statement, else names of the model and words of the language.
func (s *server) Completion(_ context.Context, p *protocol.CompletionParams) (r protocol.CompletionResult, err error) {
	defer guard(&err)
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	at := d.offset(p.Position)
	text := d.source.Text
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	switch {
	case strings.Contains(line, "#"):
		return protocol.CompletionItemSlice{}, nil
	case strings.Count(line, `"`)%2 == 1:
		return d.labels(), nil
	case strings.HasPrefix(strings.TrimSpace(line), "data "):
		return append(s.columns(d), s.namesAt(d, at)...), nil
	}
	return append(s.namesAt(d, at), s.wordItems()...), nil
}

// CompletionResolve adds the documentation of a word.
func (s *server) CompletionResolve(_ context.Context, item *protocol.CompletionItem) (*protocol.CompletionItem, error) {
	if w, ok := s.words[item.Label]; ok && item.Kind == w.Kind {
		item.Documentation = &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: code(w.Text)}
	}
	return item, nil
}

// labels lists the known labels of all groups.
func (d *document) labels() protocol.CompletionItemSlice {
	items := protocol.CompletionItemSlice{}
	u, _ := d.lastCheck()
	if u == nil {
		return items
	}
	seen := map[string]bool{}
	for _, x := range u.Data {
		for _, g := range x.Groups {
			if !seen[g.Label] {
				seen[g.Label] = true
				items = append(items, protocol.CompletionItem{Label: g.Label,
					Kind: protocol.CompletionItemKindEnumMember, Detail: protocol.NewOptional("of " + x.Name)})
			}
		}
	}
	return items
}

// mostBytesOfTable is the maximum size in bytes of files that are read to complete column names.
const mostBytesOfTable = 64 << 20

// columns lists the columns of the data files that the text names, if they are in open folders.
func (s *server) columns(d *document) (items protocol.CompletionItemSlice) {
	for _, name := range d.dataFiles() {
		files, size := d.filesOf(name), int64(0)
		for _, f := range files {
			size += f.Size
		}
		if size > mostBytesOfTable || !s.mayReadAll(files) {
			continue
		}
		file, err := datafile.DefaultRowCache().Open(bind.PathOf(name, filepath.Dir(d.path)))
		if err != nil {
			continue
		}
		for _, column := range file.Order {
			items = append(items, protocol.CompletionItem{Label: content.Spelled(column),
				Kind: protocol.CompletionItemKindField, Detail: protocol.NewOptional("column of " + name)})
		}
	}
	return items
}

var itemKinds = map[names.Kind]protocol.CompletionItemKind{
	names.Data:      protocol.CompletionItemKindConstant,
	names.Size:      protocol.CompletionItemKindConstant,
	names.Drawn:     protocol.CompletionItemKindVariable,
	names.Defined:   protocol.CompletionItemKindVariable,
	names.Generated: protocol.CompletionItemKindVariable,
	names.Function:  protocol.CompletionItemKindFunction,
	names.Template:  protocol.CompletionItemKindClass,
	names.Parameter: protocol.CompletionItemKindVariable,
	names.Index:     protocol.CompletionItemKindVariable,
}

// namesAt lists the names of the model that are visible at an offset.
func (s *server) namesAt(d *document, at int) (items protocol.CompletionItemSlice) {
	typing := wordBefore(d.source, at)
	for _, x := range d.names().Visible(at) {
		if x.Name == typing && d.names().Count(x) == 1 {
			continue // the word being typed is not a name yet
		}
		items = append(items, protocol.CompletionItem{Label: x.Name, Kind: itemKinds[x.Kind],
			Detail: protocol.NewOptional(d.statementOf(x)), SortText: protocol.NewOptional("0" + x.Name)})
	}
	return items
}

// wordItems lists the words of the language. They are sorted after the names of the model.
func (s *server) wordItems() (items protocol.CompletionItemSlice) {
	for _, w := range s.words {
		items = append(items, protocol.CompletionItem{Label: w.Name, Kind: w.Kind, Detail: protocol.NewOptional(w.Form),
			SortText: protocol.NewOptional("1" + w.Name)})
	}
	slices.SortFunc(items, func(a, b protocol.CompletionItem) int { return strings.Compare(a.Label, b.Label) })
	return items
}
