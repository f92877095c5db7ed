package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ppl/docs/pagerun"
)

// A record is a directory with the outputs of commands. digest is a hash of all inputs except the program.
type record struct {
	dir, digest string
	new         bool
}

// kept returns the record with a name, if it has the same inputs; otherwise it replaces the record by an empty one.
func (s *site) kept(name string, inputs ...string) (record, error) {
	base := filepath.Join(s.build, "kept", filepath.FromSlash(name))
	digest := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(inputs, "\x00"))))
	if old, err := os.ReadFile(base + ".digest"); err == nil && string(old) == digest {
		return record{base, digest, false}, nil
	}
	if err := os.RemoveAll(base); err != nil {
		return record{}, err
	}
	return record{base, digest, true}, os.MkdirAll(base, 0o777)
}

// finish marks a record as complete.
func (r record) finish() error { return os.WriteFile(r.dir+".digest", []byte(r.digest), 0o666) }

// withOutputs runs the commands of a page, inserts their output below the blocks that show it, and copies the pictures.
func (s *site) withOutputs(text, name string) (string, error) {
	blocks := pagerun.Blocks(text)
	examples, err := exampleFiles(s.root)
	if err != nil {
		return "", err
	}
	r, err := s.kept("pages/"+strings.TrimSuffix(name, ".md"), text, fmt.Sprint(examples))
	if err == nil && r.new {
		if err = s.runPage(r, blocks, examples); err == nil {
			err = r.finish()
		}
	}
	if err != nil {
		return "", err
	}
	if text, err = insertOutputs(r, text, blocks); err != nil {
		return "", err
	}
	return s.withPictures(text, r.dir, name)
}

func (s *site) runPage(r record, blocks []pagerun.Block, examples []file) error {
	for _, f := range examples {
		if err := os.WriteFile(filepath.Join(r.dir, f.name), f.content, 0o666); err != nil {
			return err
		}
	}
	if err := pagerun.WriteFiles(r.dir, blocks); err != nil {
		return err
	}
	for i, b := range blocks {
		if !b.Commands() {
			continue
		}
		out, err := b.Output(r.dir, s.ppl)
		if err != nil {
			return fmt.Errorf("%s\n%s: %w", b.Text, out, err)
		}
		if err = os.WriteFile(outputFile(r, i), []byte(out), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// A file is a name without a directory, and a content.
type file struct {
	name    string
	content []byte
}

// exampleFiles returns the models and data of the examples, which are available to the commands of every page.
func exampleFiles(root string) (all []file, err error) {
	for _, ending := range []string{"ppl", "csv", "json"} {
		paths, _ := filepath.Glob(filepath.Join(root, "examples", "*."+ending))
		for _, p := range paths {
			content, err := os.ReadFile(p)
			if err != nil {
				return nil, err
			}
			all = append(all, file{filepath.Base(p), content})
		}
	}
	return all, nil
}

func outputFile(r record, block int) string {
	return filepath.Join(r.dir, fmt.Sprintf("output%d.txt", block))
}

func insertOutputs(r record, text string, blocks []pagerun.Block) (string, error) {
	for i := len(blocks) - 1; i >= 0; i-- {
		b := blocks[i]
		if b.Language != "sh" || !b.Show || !b.Commands() {
			continue
		}
		out, err := os.ReadFile(outputFile(r, i))
		if err != nil {
			return "", err
		}
		shown := "\n\n```text\n" + strings.TrimSpace(string(out)) + "\n```"
		text = text[:b.End] + shown + text[b.End:]
	}
	return shownAsCommands.ReplaceAllString(text, "```sh"), nil
}

// shownAsCommands matches the options of blocks, which are not shown to readers.
var shownAsCommands = regexp.MustCompile("(?m)^```sh(?: show| needs=\\w+)+$")

func (s *site) copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return s.put(to, content)
}
