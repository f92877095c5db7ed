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

// titledFences gives blocks of code that name a file, such as "csv growth.csv", a title, as MkDocs reads it.
func titledFences(text string) string {
	return fence.ReplaceAllStringFunc(comment.ReplaceAllString(text, ""), func(found string) string {
		parts := fence.FindStringSubmatch(found)
		if strings.HasPrefix(parts[2], "title=") {
			return found
		}
		return fmt.Sprintf("```%s title=%q", parts[1], parts[2])
	})
}

// withPictures copies the pictures of a page: those that its commands drew lie in a directory, the others in the
// repository.
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

// up returns the way from a page to the top of the source.
func up(page string) string { return strings.Repeat("../", strings.Count(page, "/")) }
