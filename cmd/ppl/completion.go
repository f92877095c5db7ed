package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/app/rundir"
	"ppl/cmd/ppl/terminal"
	"ppl/posterior/plot"
	"ppl/posterior/store"
)

// completionCommand prints a script for completing commands, flags, models, runs and names in a shell.
func completionCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a script for completion in bash, zsh, fish or powershell",
		Long: "Print a script that completes commands, flags, models, runs and names of parameters in a shell.\n" +
			"bash:       source <(ppl completion bash), in ~/.bashrc\n" +
			"zsh:        ppl completion zsh > \"${fpath[1]}/_ppl\"\n" +
			"fish:       ppl completion fish > ~/.config/fish/completions/ppl.fish\n" +
			"powershell: ppl completion powershell | Out-String | Invoke-Expression",
		Args:      terminal.OneArg("SHELL"),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},

		DisableFlagsInUseLine: true,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		root := cmd.Root()
		switch args[0] {
		case "bash":
			return root.GenBashCompletionV2(c.Out, true)
		case "zsh":
			return root.GenZshCompletion(c.Out)
		case "fish":
			return root.GenFishCompletion(c.Out, true)
		case "powershell":
			return root.GenPowerShellCompletionWithDesc(c.Out)
		}
		return fault.Usagef("unknown shell %q; available: %s", args[0], strings.Join(cmd.ValidArgs, ", "))
	}
	return cmd
}

// completeArgs sets the completion of each command's arguments.
func completeArgs(root *cobra.Command) {
	for name, complete := range map[string]cobra.CompletionFunc{
		"check": modelFiles, "fmt": modelFiles, "optimize": modelFiles, "logprob": modelFiles, "build": modelFiles,
		"sample": modelsOrRuns, "predict": modelsOrRuns, "repl": modelsOrRuns,
		"diagnose": runThenNames, "summary": runThenNames, "query": runThenNames, "export": runThenNames,
		"watch": runDirs, "loo": runDirs, "compare": runDirs, "evidence": runDirs, "sensitivity": runDirs,
		"report": runDirs,
		"plot":   plotArgs,
	} {
		if cmd := verb(root, name); cmd != nil {
			cmd.ValidArgsFunction = complete
		}
	}
}

// modelFiles completes models.
func modelFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"ppl"}, cobra.ShellCompDirectiveFilterFileExt
}

// runDirs completes run directories, and directories that may contain them.
func runDirs(_ *cobra.Command, _ []string, typed string) (found []string, _ cobra.ShellCompDirective) {
	entries, _ := filepath.Glob(typed + "*")
	for _, path := range entries {
		info, err := os.Stat(path)
		switch {
		case err != nil || !info.IsDir():
		case rundir.IsRun(path):
			found = append(found, path)
		default:
			found = append(found, path+string(filepath.Separator))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func modelsOrRuns(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	found, directive := runDirs(cmd, args, typed)
	files, _ := filepath.Glob(typed + "*.ppl")
	return append(found, files...), directive
}

// runThenNames completes a run, then names of its parameters.
func runThenNames(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return runDirs(cmd, args, typed)
	}
	return namesOf(args[0]), cobra.ShellCompDirectiveNoFileComp
}

func plotArgs(cmd *cobra.Command, args []string, typed string) (found []string, _ cobra.ShellCompDirective) {
	if len(args) != 1 {
		return runThenNames(cmd, args, typed)
	}
	for _, k := range plot.Kinds() {
		found = append(found, k.Name+"\t"+k.Doc)
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// namesOf lists the arrays of a run. It returns nil if the run cannot be read.
func namesOf(path string) (names []string) {
	run, err := store.Open(path)
	if err != nil {
		return nil
	}
	for _, v := range run.Layout.Posterior {
		names = append(names, v.Name)
	}
	return names
}
