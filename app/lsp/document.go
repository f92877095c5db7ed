package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ppl/compiler"
	"ppl/compiler/datasets/bind"
	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/partition"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/names"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// A document is a version of an open text. It is immutable.
type document struct {
	uri     uri.URI
	path    string
	version int32
	source  *source.File
	tree    *ast.File
	wrong   []diag.Diagnostic // diagnostics of the parser
	names   func() *names.Table
	checked *checked // shared by the versions of a file
}

// checked holds the results of the latest checks of a file.
type checked struct {
	mu          sync.Mutex
	diagnostics []diag.Diagnostic // diagnostics of this version
	version     int32
	understood  *compiler.Understood // from the last version without errors
	running     bool
	waiting     *document // version to check after the current check
	with        data
}

// A data states whether a check reads the data.
type data bool

const (
	withoutData data = false
	withData    data = true
)

// change creates a new version of an open text, and checks it.
func (s *server) change(u uri.URI, version int32, edit func(text string) string, with data) {
	path, ok := pathOf(u)
	if !ok {
		path = string(u) // a text that was never saved has no file
	}
	s.mu.Lock()
	old := s.open[u]
	d := &document{uri: u, path: path, version: version}
	text := ""
	if old != nil {
		text, d.checked = old.source.Text, old.checked
	} else {
		d.checked = &checked{}
	}
	d.source = source.New(path, edit(text))
	d.tree, d.wrong = parse.File(d.source)
	d.names = sync.OnceValue(func() *names.Table { return names.Resolve(d.tree) })
	s.open[u] = d
	s.mu.Unlock()
	s.check(d, with)
}

// check checks a version in the background. If several versions arrive during a check, only the last one is checked.
func (s *server) check(d *document, with data) {
	c := d.checked
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		c.waiting, c.with = d, c.with || with
		return
	}
	c.running = true
	go func() {
		for d != nil {
			s.checkNow(d, with)
			c.mu.Lock()
			d, with = c.waiting, c.with
			c.waiting, c.with, c.running = nil, withoutData, d != nil
			c.mu.Unlock()
		}
	}()
}

// checkNow checks a version without its data and, if requested, with them.
func (s *server) checkNow(d *document, with data) {
	m, ds := safely(d, func() (*compiler.Understood, []diag.Diagnostic) {
		m, ds := compiler.CheckTree(d.tree, d.wrong)
		if m == nil {
			return nil, ds
		}
		u := compiler.Understand(m, nil)
		return &u, ds
	})
	s.publish(d, m, ds)
	if with == withoutData || m == nil || !s.mayReadData(d) {
		return
	}
	s.publishWith(d, ds)
}

// publishWith checks a version with its data.
func (s *server) publishWith(d *document, before []diag.Diagnostic) {
	u, ds := safely(d, func() (*compiler.Understood, []diag.Diagnostic) {
		m, p, ds := compiler.CheckWithData(compiler.Request{Path: d.path, Text: d.source.Text})
		if m == nil || p == nil {
			return nil, ds
		}
		u := compiler.Understand(m, p)
		return &u, ds
	})
	if u != nil || len(ds) > len(before) {
		s.publish(d, u, ds)
	}
}

// safely runs a check, and converts an internal error to a diagnostic.
func safely(d *document, check func() (*compiler.Understood, []diag.Diagnostic)) (u *compiler.Understood,
	ds []diag.Diagnostic) {
	defer func() {
		if cause := recover(); cause != nil {
			whole := source.Span{File: d.source, Start: 0, End: min(1, len(d.source.Text))}
			ds = []diag.Diagnostic{{Span: whole, Message: fmt.Sprintf("internal error of ppl: %v", cause)}}
		}
	}()
	return check()
}

// publish sends the results for a version, unless a newer version exists.
func (s *server) publish(d *document, u *compiler.Understood, ds []diag.Diagnostic) {
	s.mu.Lock()
	present := s.open[d.uri] == d
	s.mu.Unlock()
	if !present {
		return
	}
	d.checked.mu.Lock()
	d.checked.diagnostics, d.checked.version = ds, d.version
	if u != nil {
		d.checked.understood = u
	}
	d.checked.mu.Unlock()
	out := &protocol.PublishDiagnosticsParams{URI: d.uri, Version: protocol.NewOptional(d.version),
		Diagnostics: []protocol.Diagnostic{}}
	for _, x := range ds[:min(len(ds), mostDiagnostics)] {
		out.Diagnostics = append(out.Diagnostics, d.diagnostic(x))
	}
	_ = s.sendDiagnostics(context.Background(), out) // Serve detects that the editor is gone
}

// mostDiagnostics is the maximum number of diagnostics sent for a text. Nobody reads more, and drawing them takes long.
const mostDiagnostics = 200

// lastCheck returns the analysis of the last version without errors, and the diagnostics of this version.
func (d *document) lastCheck() (u *compiler.Understood, ds []diag.Diagnostic) {
	d.checked.mu.Lock()
	defer d.checked.mu.Unlock()
	if d.checked.version == d.version {
		ds = d.checked.diagnostics
	}
	return d.checked.understood, ds
}

func (d *document) diagnostic(x diag.Diagnostic) protocol.Diagnostic {
	message := x.Message
	if x.Help != "" {
		message += "\n" + x.Help
	}
	out := protocol.Diagnostic{Severity: severityOf(x.Severity), Message: protocol.String(message),
		Source: protocol.NewOptional("ppl")}
	if x.Code != "" {
		out.Code = protocol.String(string(x.Code))
	}
	if x.Span.File == d.source || x.Span.Valid() && x.Span.File.Name == d.path {
		out.Range = d.rangeOf(x.Span)
	}
	for _, r := range x.Related {
		if r.Span.Valid() && r.Span.File.Name == d.path {
			out.RelatedInformation = append(out.RelatedInformation, protocol.DiagnosticRelatedInformation{
				Location: protocol.Location{URI: d.uri, Range: d.rangeOf(r.Span)}, Message: r.Message})
		}
	}
	return out
}

func severityOf(s diag.Severity) protocol.DiagnosticSeverity {
	switch s {
	case diag.Error:
		return protocol.DiagnosticSeverityError
	case diag.Warning:
		return protocol.DiagnosticSeverityWarning
	}
	return protocol.DiagnosticSeverityInformation
}

// mayReadData reports whether all data files that a text names are in open folders, after following links.
func (s *server) mayReadData(d *document) bool {
	for _, name := range d.dataFiles() {
		if !s.mayReadAll(d.filesOf(name)) {
			return false
		}
	}
	return s.mayRead(filepath.Dir(d.path))
}

// dataFiles lists the files that data statements name.
func (d *document) dataFiles() (all []string) {
	for _, st := range d.tree.Stmts {
		if x, ok := st.(*ast.Data); ok && x.From != nil && !slices.Contains(all, x.From.Value) {
			all = append(all, x.From.Value)
		}
	}
	return all
}

// filesOf lists the files that a path in a data statement matches.
func (d *document) filesOf(name string) []partition.File {
	return datafile.DefaultRowCache().Files(bind.PathOf(name, filepath.Dir(d.path)))
}

// mayReadAll reports whether there is at least one file and all files are in open folders.
func (s *server) mayReadAll(files []partition.File) bool {
	return len(files) > 0 && !slices.ContainsFunc(files, func(f partition.File) bool { return !s.mayRead(f.Path) })
}

// mayRead reports whether a file is in an open folder.
func (s *server) mayRead(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.folders, func(folder string) bool {
		if f, err := filepath.EvalSymlinks(folder); err == nil {
			folder = f
		}
		rel, err := filepath.Rel(folder, real)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	})
}
