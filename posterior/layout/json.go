package layout

import (
	"encoding/json"
	"io"
)

// WriteJSON prints a document with indentation.
func WriteJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(document)
}
