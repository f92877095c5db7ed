package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// A method decodes the parameters of a message and answers it.
type method func(ctx context.Context, params []byte) (any, error)

// methods maps the names of supported messages to their implementations. It replaces the dispatcher of the protocol
// library, which would link the decoders of all messages and add 0.2 MB to a wheel.
func (s *server) methods() map[string]method {
	return map[string]method{
		protocol.MethodInitialize:  request(s.Initialize),
		protocol.MethodInitialized: notification(s.Initialized),
		protocol.MethodShutdown:    bare(s.Shutdown),
		protocol.MethodExit:        bare(s.Exit),

		protocol.MethodWorkspaceDidChangeWorkspaceFolders: notification(s.DidChangeWorkspaceFolders),

		protocol.MethodTextDocumentDidOpen:   notification(s.DidOpen),
		protocol.MethodTextDocumentDidChange: notification(s.DidChange),
		protocol.MethodTextDocumentDidSave:   notification(s.DidSave),
		protocol.MethodTextDocumentDidClose:  notification(s.DidClose),

		protocol.MethodTextDocumentCompletion:         request(s.Completion),
		protocol.MethodCompletionItemResolve:          request(s.CompletionResolve),
		protocol.MethodTextDocumentHover:              request(s.Hover),
		protocol.MethodTextDocumentDefinition:         request(s.Definition),
		protocol.MethodTextDocumentReferences:         request(s.References),
		protocol.MethodTextDocumentDocumentHighlight:  request(s.DocumentHighlight),
		protocol.MethodTextDocumentDocumentSymbol:     request(s.DocumentSymbol),
		protocol.MethodTextDocumentSemanticTokensFull: request(s.SemanticTokensFull),
		protocol.MethodTextDocumentFormatting:         request(s.Formatting),
		protocol.MethodTextDocumentPrepareRename:      request(s.PrepareRename),
		protocol.MethodTextDocumentRename:             request(s.Rename),
		protocol.MethodTextDocumentCodeAction:         request(s.CodeAction),
	}
}

func request[P, R any](answer func(context.Context, *P) (R, error)) method {
	return func(ctx context.Context, params []byte) (any, error) {
		var p P
		if err := protocol.Unmarshal(params, &p); err != nil {
			return nil, fmt.Errorf("%w: %w", jsonrpc2.ErrParse, err)
		}
		return answer(ctx, &p)
	}
}

func notification[P any](receive func(context.Context, *P) error) method {
	return request(func(ctx context.Context, p *P) (any, error) { return nil, receive(ctx, p) })
}

func bare(receive func(context.Context) error) method {
	return func(ctx context.Context, _ []byte) (any, error) { return nil, receive(ctx) }
}

// serve starts answering the messages of a stream.
func (s *server) serve(ctx context.Context, stream jsonrpc2.Stream) jsonrpc2.Conn {
	conn := jsonrpc2.NewConn(stream, jsonrpc2.WithCodec(codec{}))
	methods := s.methods()
	s.conn = conn
	conn.Go(ctx, protocol.Handlers(func(ctx context.Context, r *jsonrpc2.Request) (any, error) {
		if answer, ok := methods[r.Method()]; ok {
			return answer(ctx, r.Params())
		}
		return jsonrpc2.MethodNotFoundHandler(ctx, r)
	}))
	return conn
}

// A codec encodes and decodes the values of messages.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error) { return protocol.Marshal(v) }

func (codec) Unmarshal(data []byte, v any) error { return protocol.Unmarshal(data, v) }

// Serve answers requests until the input ends or the editor ends the session. It returns an error if the input ends
// without the end of the session.
func Serve(ctx context.Context, in io.Reader, out io.Writer, host Host) error {
	s := &server{host: host, words: map[string]Word{}, open: map[uri.URI]*document{}, exit: make(chan struct{})}
	for _, w := range host.Words {
		if _, known := s.words[w.Name]; !known {
			s.words[w.Name] = w
		}
	}
	conn := s.serve(ctx, jsonrpc2.NewStream(stream{in, out}))
	select {
	case <-conn.Done():
	case <-s.exit: // a pending read of the input ends only with the program
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.down {
		return errors.New("the editor closed the connection without a shutdown request")
	}
	return nil
}
