// Command unpack writes the files of a page into a folder, and its commands as a script. A test thus runs what a reader
// copies from the page.
//
//	go run ./docs/pagerun/unpack docs/pages/tutorial.md page
//	sh -e -x page/commands.sh
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"ppl/docs/pagerun"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: unpack PAGE FOLDER")
		os.Exit(2)
	}
	if err := unpack(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "unpack:", err)
		os.Exit(1)
	}
}

func unpack(page, folder string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	blocks := pagerun.Blocks(string(text))
	if err := pagerun.WriteFiles(folder, blocks); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "commands.sh"), []byte(pagerun.Script(blocks)), 0o666)
}
