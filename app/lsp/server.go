// Package lsp implements the Language Server Protocol, version 3.17 of
// https://microsoft.github.io/language-server-protocol: diagnostics while typing, hover texts, completion, references
// and edits.
//
//	err := lsp.Serve(ctx, os.Stdin, os.Stdout, lsp.Host{Version: "0.1.0", Words: words})
//
// Each change triggers a check without data. When a text is opened or saved, it is also checked with its data, if all
// files that it names are in a folder that is open in the editor. The server never samples and never writes files.
package lsp

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// A Host describes the program that contains the server.
type Host struct {
	Version string
	Words   []Word // words of the language
}

// A Word is a distribution, function or keyword.
type Word struct {
	Name string
	Form string // for example, Normal(mean, sd)
	Text string // documentation
	Kind protocol.CompletionItemKind
}

type stream struct {
	io.Reader
	io.Writer
}

func (stream) Close() error { return nil }

// A server holds the state of a session with an editor.
type server struct {
	host  Host
	words map[string]Word
	conn  jsonrpc2.Conn
	exit  chan struct{} // closed when the editor ends the session
	once  sync.Once     // guards closing exit

	mu      sync.Mutex // guards the following fields
	folders []string
	open    map[uri.URI]*document
	down    bool // whether the editor requested a shutdown
}

func (s *server) Initialize(_ context.Context, p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if folders, ok := p.WorkspaceFolders.Get(); ok {
		for _, f := range folders {
			s.addFolder(string(f.URI))
		}
	}
	//lint:ignore SA1019 editors that know one folder only send this
	if root := p.RootURI; root != nil {
		s.addFolder(string(*root))
	}
	yes, sync := true, protocol.TextDocumentSyncKindIncremental
	return &protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "ppl", Version: protocol.NewOptional(s.host.Version)},
		Capabilities: protocol.ServerCapabilities{
			TextDocumentSync: &protocol.TextDocumentSyncOptions{OpenClose: &yes,
				Change: &sync, Save: protocol.Boolean(true)},
			CompletionProvider:         &protocol.CompletionOptions{TriggerCharacters: []string{`"`}, ResolveProvider: &yes},
			HoverProvider:              protocol.Boolean(true),
			DefinitionProvider:         protocol.Boolean(true),
			ReferencesProvider:         protocol.Boolean(true),
			DocumentHighlightProvider:  protocol.Boolean(true),
			DocumentSymbolProvider:     protocol.Boolean(true),
			DocumentFormattingProvider: protocol.Boolean(true),
			RenameProvider:             &protocol.RenameOptions{PrepareProvider: &yes},
			CodeActionProvider: &protocol.CodeActionOptions{
				CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix}},
			SemanticTokensProvider: &protocol.SemanticTokensOptions{Full: protocol.Boolean(true),
				Legend: protocol.SemanticTokensLegend{TokenTypes: tokenTypes, TokenModifiers: tokenModifiers}},
		},
	}, nil
}

// addFolder adds a folder that is open in the editor. Files in other folders are not read.
func (s *server) addFolder(of string) {
	if path, ok := pathOf(uri.URI(of)); ok {
		s.folders = append(s.folders, path)
	}
}

func (s *server) DidChangeWorkspaceFolders(_ context.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range p.Event.Added {
		s.addFolder(string(f.URI))
	}
	for _, f := range p.Event.Removed {
		path, _ := pathOf(uri.URI(f.URI))
		s.folders = slices.DeleteFunc(s.folders, func(folder string) bool { return folder == path })
	}
	return nil
}

func (s *server) Initialized(context.Context, *protocol.InitializedParams) error { return nil }

func (s *server) Shutdown(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = true
	return nil
}

func (s *server) Exit(context.Context) error {
	s.once.Do(func() { close(s.exit) })
	return nil
}

func (s *server) DidOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) error {
	s.change(p.TextDocument.URI, p.TextDocument.Version, func(string) string { return p.TextDocument.Text }, withData)
	return nil
}

func (s *server) DidChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) error {
	s.change(p.TextDocument.URI, p.TextDocument.Version, func(text string) string {
		for _, c := range p.ContentChanges {
			text = changed(text, c)
		}
		return text
	}, withoutData)
	return nil
}

func (s *server) DidSave(_ context.Context, p *protocol.DidSaveTextDocumentParams) error {
	s.mu.Lock()
	d := s.open[p.TextDocument.URI]
	s.mu.Unlock()
	if d != nil {
		s.change(d.uri, d.version, func(text string) string { return text }, withData)
	}
	return nil
}

func (s *server) DidClose(ctx context.Context, p *protocol.DidCloseTextDocumentParams) error {
	s.mu.Lock()
	delete(s.open, p.TextDocument.URI)
	s.mu.Unlock()
	return s.sendDiagnostics(ctx, &protocol.PublishDiagnosticsParams{URI: p.TextDocument.URI,
		Diagnostics: []protocol.Diagnostic{}})
}

// document returns the current version of an open text.
func (s *server) document(u uri.URI) (*document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.open[u]; d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("%s is not open", u)
}

// guard converts an internal error to an error answer, so that the session continues.
func guard(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("internal error of ppl: %v", cause)
	}
}

func (s *server) sendDiagnostics(ctx context.Context, p *protocol.PublishDiagnosticsParams) error {
	return s.conn.Notify(ctx, protocol.MethodTextDocumentPublishDiagnostics, p)
}
