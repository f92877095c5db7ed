package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spf13/pflag"

	"ppl/app/fault"
	"ppl/app/topics"
	"ppl/cmd/ppl/models"
	"ppl/cmd/ppl/terminal"
	"ppl/lang/diag"
)

// A kind is a list of topics that `ppl help KIND` prints. The topics are generated on demand.
type kind struct {
	name   string
	topics func() []topics.Topic
}

func kinds(root *cobra.Command) []kind {
	return []kind{
		{"distributions", topics.Distributions},
		{"functions", topics.Functions},
		{"words", topics.Words},
		{"constructs", topics.Constructs},
		{"declarations", topics.Declarations},
		{"flags", func() []topics.Topic { return flagTopics(root) }},
		{"numbers", topics.Numbers},
		{"settings", topics.Settings},
		{"samplers", topics.Samplers},
		{"solvers", topics.Solvers},
		{"devices", topics.Devices},
		{"stages", models.StageTopics},
		{"codes", topics.Codes},
		{"guides", topics.Guides},
	}
}

// kindNames lists the names of the kinds.
func kindNames() string {
	var names []string
	for _, k := range kinds(nil) {
		names = append(names, k.name)
	}
	return diag.And(names)
}

func helpCommand(c *terminal.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "help [NAME]",
		Short: "Explain a command, distribution, function or diagnostic code",
		Long: "Explain a command, or an entry of one of these lists: ppl help " + kindNames() +
			".\nlang/REFERENCE.md describes the language.",

		DisableFlagsInUseLine: true,
		DisableFlagParsing:    true, // accept flags of other tools as names: ppl help --iter
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return cmd.Root().Help()
			case args[0] == "--help" || args[0] == "-h":
				return cmd.Help()
			case len(args) == 1:
				return explain(c, cmd.Root(), args[0])
			}
			return fault.Usagef("one NAME at a time; %q is too many", args[1])
		},
	}
}

// explain prints the description of a name.
func explain(c *terminal.Console, root *cobra.Command, name string) error {
	if cmd := verb(root, name); cmd != nil {
		return cmd.Help()
	}
	for _, k := range kinds(root) {
		if k.name == name {
			list(c, k)
			return nil
		}
	}
	found := findTopics(root, func(n string) bool { return n == name })
	if found == nil {
		found = findTopics(root, func(n string) bool { return bare(n) == bare(name) && dashed(n) == dashed(name) })
	}
	say := topics.Foreign(name)
	if found == nil && say == "" {
		found = findTopics(root, func(n string) bool { return bare(n) == bare(name) })
	}
	if found == nil && say != "" {
		fmt.Fprintf(c.Out, "%s is not a name of ppl; write %s.\n", name, say)
		return nil
	}
	if found == nil {
		return unknownTopic(root, name)
	}
	for i, t := range found {
		if i > 0 {
			fmt.Fprintln(c.Out)
		}
		fmt.Fprintln(c.Out, t.Text)
	}
	return nil
}

// bare returns a name without differences in spelling: R-hat, r_hat and rhat become rhat.
func bare(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

// dashed reports whether a name is a flag.
func dashed(name string) bool { return strings.HasPrefix(name, "--") }

func verb(root *cobra.Command, name string) *cobra.Command {
	for _, cmd := range root.Commands() {
		if cmd.Name() == name {
			return cmd
		}
	}
	return nil
}

func list(c *terminal.Console, k kind) {
	for _, t := range k.topics() {
		fmt.Fprintln(c.Out, t.Line)
	}
}

func findTopics(root *cobra.Command, is func(name string) bool) (found []topics.Topic) {
	for _, k := range kinds(root) {
		for _, t := range k.topics() {
			if is(t.Name) {
				found = append(found, t)
			}
		}
	}
	return found
}

func unknownTopic(root *cobra.Command, name string) error {
	var names []string
	for _, cmd := range root.Commands() {
		names = append(names, cmd.Name())
	}
	for _, k := range kinds(root) {
		names = append(names, k.name)
		for _, t := range k.topics() {
			names = append(names, t.Name)
		}
	}
	return fault.Usagef("there is nothing named %q; %s", name,
		diag.MeantAmong(names, "%q", name, "ppl help "+kindNames()+" list what there is"))
}

// flagTopics describes the flags of all commands. Commands in which a flag has the same meaning share a description.
func flagTopics(root *cobra.Command) (all []topics.Topic) {
	meanings := map[string][]string{} // maps a flag to its descriptions, in the order of commands
	commands := map[string][]string{} // maps a description to the names of the commands
	lines := map[string]string{}
	for _, cmd := range root.Commands() {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			value, usage := pflag.UnquoteUsage(f)
			form := strings.TrimSpace("--" + f.Name + " " + value)
			key := form + "\n\n" + topics.Sentence(usage)
			if commands[key] == nil {
				meanings[f.Name] = append(meanings[f.Name], key)
				lines[key] = fmt.Sprintf("%-22s %s", form, usage)
			}
			commands[key] = append(commands[key], cmd.Name())
		})
	}
	for _, name := range slices.Sorted(maps.Keys(meanings)) {
		var texts []string
		for _, key := range meanings[name] {
			texts = append(texts, "ppl "+strings.Join(commands[key], "|")+" "+key)
		}
		all = append(all, topics.Topic{Name: "--" + name, Line: lines[meanings[name][0]],
			Text: strings.Join(texts, "\n\n")})
	}
	return all
}
