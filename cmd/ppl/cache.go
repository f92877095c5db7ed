package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/cmd/ppl/terminal"
	"ppl/lang/source"
	"ppl/runtime/sys/cache"
)

// A cacheLine describes a part of the cache.
type cacheLine struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
	Limit int64  `json:"limit"`
	Held  int    `json:"unfinished"`
	Dir   string `json:"directory"`
	holds string
}

func cacheCommand(c *terminal.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache [clear [NAME…]] [--json]",
		Short: "Show or clear the compiled models and the rows of large data that ppl keeps",
		Long: "Compiled models and the rows of data files that are too large for memory are kept for later runs. " +
			"The entries that\nwere used least recently are removed first. " + cache.SizeVariable + "=20GB in the " +
			"environment limits the size of each part, and\nXDG_CACHE_HOME=DIR moves the cache. 'ppl " +
			"cache clear' removes everything, 'ppl cache clear rows'\none part. No run needs the cache; the next one " +
			"compiles and copies again.",
		Args: checkCacheArgs,

		DisableFlagsInUseLine: true,
	}
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object for each part")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		before := cacheLines()
		if len(args) == 0 {
			return printCache(c, before, *asJSON)
		}
		freed := int64(0)
		for i, p := range cache.Parts() {
			if len(args) > 1 && !slices.Contains(args[1:], p.Name) {
				continue
			}
			if err := p.Clear(); err != nil {
				return fault.Of(err)
			}
			freed += before[i].Bytes - p.Use().Bytes
		}
		c.Notef("removed %s", source.Bytes(freed))
		return nil
	}
	return cmd
}

// checkCacheArgs returns an error for names that are not parts of the cache.
func checkCacheArgs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if args[0] != "clear" {
		return fault.Usagef("%q: write ppl cache, or ppl cache clear", args[0])
	}
	var names []string
	for _, p := range cache.Parts() {
		names = append(names, p.Name)
	}
	for _, name := range args[1:] {
		if !slices.Contains(names, name) {
			return fault.Usagef("the cache has no part %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

func cacheLines() (all []cacheLine) {
	for _, p := range cache.Parts() {
		u := p.Use()
		limit, _ := p.Limit() // an invalid limit was rejected at the start
		all = append(all, cacheLine{p.Name, u.Files, u.Bytes, limit, u.Held, p.Dir(), p.Holds})
	}
	return all
}

func printCache(c *terminal.Console, lines []cacheLine, asJSON bool) error {
	if asJSON {
		to := json.NewEncoder(c.Out)
		for _, l := range lines {
			if err := to.Encode(l); err != nil {
				return fault.Of(err)
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(c.Out, 0, 8, 2, ' ', 0)
	for _, l := range lines {
		fmt.Fprintf(w, "%s\t%d files\t%s of at most %s\t%s, in %s\n", l.Name, l.Files, source.Bytes(l.Bytes),
			source.Bytes(l.Limit), l.holds, l.Dir)
	}
	return fault.Of(w.Flush())
}
