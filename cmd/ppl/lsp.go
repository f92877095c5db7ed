//go:build !js

package main

import (
	"runtime/debug"

	"github.com/spf13/cobra"
	"go.lsp.dev/protocol"

	"ppl/app/fault"
	"ppl/app/lsp"
	"ppl/app/topics"
	"ppl/app/version"
	"ppl/cmd/ppl/terminal"
)

// editorCommands returns the commands for editors. The build for browsers omits them.
func editorCommands(c *terminal.Console) []*cobra.Command { return []*cobra.Command{lspCommand(c)} }

// gcPercent lets the heap grow fivefold between garbage collections. An edit of a long model creates much garbage while
// the user waits.
const gcPercent = 400

func lspCommand(c *terminal.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Answer an editor by the Language Server Protocol, on standard input and output",
		Long: "Answer an editor by the Language Server Protocol, on standard input and output: mistakes while " +
			"typing, explanations, completion, where names are declared and used, renaming, fixes, the canonical " +
			"form.\n" +
			"It checks models, with data files that are in a folder that is open in the editor. It never samples " +
			"and writes no file. The folder editors has the settings of some editors.",
		Args: cobra.NoArgs,

		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			debug.SetGCPercent(gcPercent)
			err := lsp.Serve(cmd.Context(), cmd.InOrStdin(), c.Out, lsp.Host{Version: version.Number(), Words: words()})
			return fault.Of(err)
		},
	}
}

// words lists the words of the language with their help texts.
func words() (all []lsp.Word) {
	for _, of := range []struct {
		kind   protocol.CompletionItemKind
		topics []topics.Topic
	}{
		{protocol.CompletionItemKindClass, topics.Distributions()},
		{protocol.CompletionItemKindFunction, topics.Functions()},
		{protocol.CompletionItemKindKeyword, topics.Words()},
	} {
		for _, t := range of.topics {
			all = append(all, lsp.Word{Name: t.Name, Form: t.Line, Text: t.Text, Kind: of.kind})
		}
	}
	return all
}
