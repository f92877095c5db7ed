package main

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

var (
	fence   = regexp.MustCompile("(?m)^```([a-z]+) (.+)$")
	picture = regexp.MustCompile(`!\[([^\]]*)\]\(([^):]+)\)`)
	comment = regexp.MustCompile(`(?m)^<!-- (table|end)\b.*-->\n?`)
)

// titledFences converts the file name after a language, as in "csv growth.csv", to a title in the syntax of MkDocs.
func titledFences(text string) string {
	return fence.ReplaceAllStringFunc(comment.ReplaceAllString(text, ""), func(found string) string {
		parts := fence.FindStringSubmatch(found)
		if strings.HasPrefix(parts[2], "title=") {
			return found
		}
		return fmt.Sprintf("```%s title=%q", parts[1], parts[2])
	})
}

// withPictures copies the pictures of a page and adapts the links. Pictures drawn by the page's commands are in
// directory drawn; those with a slash in their path are in the repository.
func (s *site) withPictures(text, drawn, page string) (out string, err error) {
	out = picture.ReplaceAllStringFunc(text, func(found string) string {
		parts := picture.FindStringSubmatch(found)
		to, link, from := path.Join(path.Dir(page), parts[2]), parts[2], path.Join(drawn, parts[2])
		if strings.Contains(parts[2], "/") {
			to, link, from = parts[2], up(page)+parts[2], path.Join(s.root, parts[2])
		}
		if cause := s.copyFile(from, to); err == nil {
			err = cause
		}
		return fmt.Sprintf("![%s](%s)", parts[1], link)
	})
	return out, err
}

// up returns the relative path from a page to the source directory.
func up(page string) string { return strings.Repeat("../", strings.Count(page, "/")) }
