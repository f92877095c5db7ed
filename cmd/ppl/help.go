package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/lang/diag"
)

func helpCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "help [NAME]",
		Short: "Explain a command, distribution, function or diagnostic code",
		Long: "Explain a command, or an entry of one of these lists: ppl help " + kindNames() +
			".\nlang/REFERENCE.md describes the language.",

		DisableFlagsInUseLine: true,
		DisableFlagParsing:    true, // a flag of another tool is a name, too: ppl help --iter
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return cmd.Root().Help()
			case args[0] == "--help" || args[0] == "-h":
				return cmd.Help()
			case len(args) == 1:
				return c.explain(cmd.Root(), args[0])
			}
			return fault.Usagef("one NAME at a time; %q is too many", args[1])
		},
	}
}

// explain prints what there is to say of a name.
func (c *console) explain(root *cobra.Command, name string) error {
	if cmd := verb(root, name); cmd != nil {
		return cmd.Help()
	}
	for _, k := range kinds(root) {
		if k.name == name {
			c.list(k)
			return nil
		}
	}
	found := findTopics(root, func(n string) bool { return n == name })
	if found == nil {
		found = findTopics(root, func(n string) bool { return bare(n) == bare(name) && dashed(n) == dashed(name) })
	}
	say := translated(name)
	if found == nil && say == "" {
		found = findTopics(root, func(n string) bool { return bare(n) == bare(name) })
	}
	if found == nil && say != "" {
		fmt.Fprintf(c.out, "%s is not of ppl; write %s.\n", name, say)
		return nil
	}
	if found == nil {
		return unknownTopic(root, name)
	}
	for i, t := range found {
		if i > 0 {
			fmt.Fprintln(c.out)
		}
		fmt.Fprintln(c.out, t.text)
	}
	return nil
}

// bare is a name without what people write differently: R-hat, r_hat, rhat.
func bare(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

// dashed reports whether a name is that of a flag.
func dashed(name string) bool { return strings.HasPrefix(name, "--") }

func verb(root *cobra.Command, name string) *cobra.Command {
	for _, cmd := range root.Commands() {
		if cmd.Name() == name {
			return cmd
		}
	}
	return nil
}

func (c *console) list(k kind) {
	for _, t := range k.topics() {
		fmt.Fprintln(c.out, t.line)
	}
}

func findTopics(root *cobra.Command, is func(name string) bool) (found []topic) {
	for _, k := range kinds(root) {
		for _, t := range k.topics() {
			if is(t.name) {
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
			names = append(names, t.name)
		}
	}
	if near, ok := diag.Nearest(name, names); ok {
		return fault.Usagef("there is nothing named %q; did you mean %q?", name, near)
	}
	return fault.Usagef("there is nothing named %q; ppl help %s list what there is", name, kindNames())
}
