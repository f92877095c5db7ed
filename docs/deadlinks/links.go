package main

import (
	"fmt"
	"html"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// value matches the value of an attribute, in one of three styles of quoting.
const value = `(?:"([^"]*)"|'([^']*)'|([^\s>"']+))`

var (
	linked   = regexp.MustCompile(`<(?:a|link|img|script|iframe)\b[^>]*?\s(?:href|src)=` + value)
	anchored = regexp.MustCompile(`\s(?:id|name)=` + value)
)

// A page has its links and the anchors to which others can link.
type page struct {
	links   []string
	anchors map[string]bool
}

// deadLinks checks all pages of a site. Each result names the page, the link and the fault.
func deadLinks(site fs.FS) (dead []string, err error) {
	pages := map[string]page{}
	err = fs.WalkDir(site, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".html" {
			return err
		}
		text, err := fs.ReadFile(site, name)
		pages[name] = readPage(string(text))
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(pages) == 0 {
		return nil, fmt.Errorf("there are no pages")
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		for _, link := range pages[name].links {
			if wrong := check(site, pages, name, link); wrong != "" {
				dead = append(dead, fmt.Sprintf("%s: %s: %s", name, link, wrong))
			}
		}
	}
	return dead, nil
}

func readPage(text string) page {
	p := page{anchors: map[string]bool{}}
	for _, found := range linked.FindAllStringSubmatch(text, -1) {
		p.links = append(p.links, html.UnescapeString(found[1]+found[2]+found[3]))
	}
	for _, found := range anchored.FindAllStringSubmatch(text, -1) {
		p.anchors[html.UnescapeString(found[1]+found[2]+found[3])] = true
	}
	return p
}

// check returns the fault of a link on page from, or "".
func check(site fs.FS, pages map[string]page, from, link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return err.Error()
	}
	if u.Scheme != "" || u.Host != "" {
		return ""
	}
	target := from
	if u.Path != "" {
		target = path.Join(path.Dir(from), u.Path)
		if strings.HasPrefix(u.Path, "/") {
			target = strings.TrimPrefix(path.Clean(u.Path), "/")
		}
		if target == "" {
			target = "."
		}
		if info, err := fs.Stat(site, target); err == nil && info.IsDir() {
			target = path.Join(target, "index.html")
		}
	}
	if strings.HasPrefix(target, "..") {
		return "it leads out of the site"
	}
	if _, err := fs.Stat(site, target); err != nil {
		return "there is no such page"
	}
	return missingAnchor(pages, target, u.Fragment)
}

func missingAnchor(pages map[string]page, target, fragment string) string {
	p, isPage := pages[target]
	// a fragment with = is a model for the playground, not an anchor
	if fragment == "" || !isPage || strings.Contains(fragment, "=") || p.anchors[fragment] {
		return ""
	}
	return "the page has no such anchor"
}
