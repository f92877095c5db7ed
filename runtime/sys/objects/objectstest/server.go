// Package objectstest is an object store for tests, which checks signatures, serves ranges and can simulate faults.
package objectstest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Credentials and bucket of the store.
const (
	ID     = "AKIDEXAMPLE"
	Secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
	Bucket = "bucket"
)

// A Store is a server with the objects of one bucket. Fault, if it is not nil, is called before each answer with the
// number of the request, from 1; it may write the answer itself.
type Store struct {
	*httptest.Server
	Fault func(number int, w http.ResponseWriter, r *http.Request) (answered bool)
	Open  bool // accepts requests without signatures, as a web server does

	mu       sync.Mutex
	objects  map[string]string
	requests int
	sent     int64
	refused  []string
}

// New starts a store, which ends with the test.
func New(t testing.TB) *Store {
	t.Helper()
	s := &Store{objects: map[string]string{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Server.Close)
	return s
}

// Put stores an object.
func (s *Store) Put(key, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[key] = text
}

// Seen returns the number of requests, the number of bytes of objects that were sent, and the reasons for which
// signatures were refused.
func (s *Store) Seen() (requests int, sent int64, refused []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests, s.sent, slices.Clone(s.refused)
}

// Environment returns the store's address and credentials by the names of environment variables.
func (s *Store) Environment(name string) string {
	return map[string]string{"AWS_ENDPOINT_URL": s.URL, "AWS_ACCESS_KEY_ID": ID, "AWS_SECRET_ACCESS_KEY": Secret,
		"AWS_REGION": "eu-north-1"}[name]
}

func tag(text string) string {
	h := fnv.New64a()
	h.Write([]byte(text))
	return fmt.Sprintf(`"%x"`, h.Sum64())
}

func (s *Store) answer(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests++
	number := s.requests
	s.mu.Unlock()
	if s.Fault != nil && s.Fault(number, w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if why := wrongSignature(r); why != "" && !s.Open {
		s.refused = append(s.refused, why)
		http.Error(w, "<Error><Code>SignatureDoesNotMatch</Code></Error>", http.StatusForbidden)
		return
	}
	key, ok := strings.CutPrefix(r.URL.Path, "/"+Bucket+"/")
	text, known := s.objects[key]
	switch {
	case ok && key == "" && r.URL.Query().Get("list-type") == "2":
		s.list(w, r)
	case !ok || !known:
		http.NotFound(w, r)
	default:
		s.object(w, r, text)
	}
}

// list lists at most two objects for each request.
func (s *Store) list(w http.ResponseWriter, r *http.Request) {
	var keys []string
	for k := range s.objects {
		if strings.HasPrefix(k, r.URL.Query().Get("prefix")) && k > r.URL.Query().Get("continuation-token") {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	fmt.Fprintf(w, "<ListBucketResult><IsTruncated>%v</IsTruncated>", len(keys) > 2)
	if len(keys) > 2 {
		keys = keys[:2]
		fmt.Fprintf(w, "<NextContinuationToken>%s</NextContinuationToken>", keys[1])
	}
	for _, k := range keys {
		escaped := strings.ReplaceAll(k, "&", "&amp;")
		fmt.Fprintf(w, "<Contents><Key>%s</Key><Size>%d</Size></Contents>", escaped, len(s.objects[k]))
	}
	fmt.Fprint(w, "</ListBucketResult>")
}

func (s *Store) object(w http.ResponseWriter, r *http.Request, text string) {
	w.Header().Set("ETag", tag(text))
	if match := r.Header.Get("If-Match"); match != "" && match != tag(text) {
		w.WriteHeader(http.StatusPreconditionFailed)
		return
	}
	var from, to int
	if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); n == 2 {
		if to >= len(text) || from > to {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(text)))
		w.Header().Set("Content-Length", strconv.Itoa(to-from+1))
		w.WriteHeader(http.StatusPartialContent)
		text = text[from : to+1]
	} else {
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	}
	if r.Method != http.MethodHead {
		s.sent += int64(len(text))
		fmt.Fprint(w, text)
	}
}

// wrongSignature returns what is wrong with the signature of a request, or "". It follows the documentation of Amazon
// and shares no code with the client.
func wrongSignature(r *http.Request) string {
	var credential, signed, signature string
	auth, ok := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ")
	for _, part := range strings.Split(auth, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "Credential":
			credential = value
		case "SignedHeaders":
			signed = value
		case "Signature":
			signature = value
		}
	}
	scope := strings.Split(credential, "/")
	if !ok || len(scope) != 5 || scope[0] != ID || scope[2] != "eu-north-1" || scope[3] != "s3" {
		return "no credential: " + auth
	}
	path, query, _ := strings.Cut(r.RequestURI, "?")
	parameters := strings.Split(query, "&")
	slices.Sort(parameters)
	text := r.Method + "\n" + path + "\n" + strings.Join(parameters, "&") + "\n"
	for _, name := range strings.Split(signed, ";") {
		value := r.Header.Get(name)
		if name == "host" {
			value = r.Host
		}
		text += name + ":" + value + "\n"
	}
	for _, must := range []string{"host", "x-amz-date", "x-amz-content-sha256"} {
		if !slices.Contains(strings.Split(signed, ";"), must) {
			return must + " is not signed"
		}
	}
	text += "\n" + signed + "\n" + r.Header.Get("X-Amz-Content-Sha256")
	sum := sha256.Sum256([]byte(text))
	toSign := "AWS4-HMAC-SHA256\n" + r.Header.Get("X-Amz-Date") + "\n" + strings.Join(scope[1:], "/") + "\n" +
		hex.EncodeToString(sum[:])
	key := []byte("AWS4" + Secret)
	for _, step := range append(scope[1:], toSign) {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(step))
		key = h.Sum(nil)
	}
	if hex.EncodeToString(key) != signature {
		return "another signature: " + text
	}
	return ""
}
