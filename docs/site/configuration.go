package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed mkdocs.yml assets
var own embed.FS

// copyAssets writes the style sheet and scripts of the site.
func (s *site) copyAssets() error {
	return fs.WalkDir(own, "assets", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := own.ReadFile(path)
		if err != nil {
			return err
		}
		return s.put(path, content)
	})
}

// configuration writes mkdocs.yml: a constant part, then the menu.
func (s *site) configuration() error {
	constant, err := own.ReadFile("mkdocs.yml")
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%snav:\n", constant)
	for _, section := range s.menu {
		fmt.Fprintf(&b, "  - %q:\n", section.title)
		for _, e := range section.pages {
			fmt.Fprintf(&b, "    - %q: %s\n", e.title, e.path)
		}
	}
	return os.WriteFile(filepath.Join(s.build, "mkdocs.yml"), []byte(b.String()), 0o666)
}
