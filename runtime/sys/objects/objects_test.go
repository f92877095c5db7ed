package objects

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ppl/runtime/sys/objects/objectstest"
)

// client returns a client that does not wait, and a list of the pauses that it would have made.
func client(getenv func(string) string) (c *Client, pauses *[]time.Duration) {
	c, pauses = New(getenv), new([]time.Duration)
	c.Pause = func(d time.Duration) { *pauses = append(*pauses, d) }
	return c, pauses
}

// TestSignatures compares signatures with the examples of Amazon's documentation ("Signature Calculations for the
// Authorization Header", GET Object, GET Bucket Lifecycle, Get Bucket).
func TestSignatures(t *testing.T) {
	k := keys{id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
	for _, e := range []struct{ path, query, rangeOf, want string }{
		{"/test.txt", "", "bytes=0-9", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
		{"/", "lifecycle=", "", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
		{"/", escapedQuery(url.Values{"prefix": {"J"}, "max-keys": {"2"}}), "",
			"34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
	} {
		r, err := http.NewRequest(http.MethodGet, "https://examplebucket.s3.amazonaws.com"+e.path+"?"+e.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e.rangeOf != "" {
			r.Header.Set("Range", e.rangeOf)
		}
		r.Header.Set("X-Amz-Content-Sha256", emptyHash)
		c := &Client{Now: func() time.Time { return time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC) }}
		c.signAs(r, k, "us-east-1", "s3")
		if got := r.Header.Get("Authorization"); !strings.HasSuffix(got, "Signature="+e.want) {
			t.Errorf("%s?%s: %s, want %s", e.path, e.query, got, e.want)
		}
	}
}

// TestRanges checks that ranges are read as stored, also if names have characters that must be escaped in signatures.
func TestRanges(t *testing.T) {
	store := objectstest.New(t)
	c, _ := client(store.Environment)
	r := rand.New(rand.NewPCG(1, 60))
	text := make([]byte, 10_000)
	for i := range text {
		text[i] = byte(r.IntN(256))
	}
	for _, key := range []string{"a.csv", "k=1/b c+d%20é&~*'().csv", "x//y"} {
		store.Put(key, string(text))
		o, err := c.Open("s3://bucket/" + key)
		if err != nil {
			t.Fatal(err)
		}
		if o.Size() != int64(len(text)) || o.Version() == "" {
			t.Errorf("%s: size %d, version %q", key, o.Size(), o.Version())
		}
		for range 20 {
			at := r.IntN(len(text) + 10)
			p := make([]byte, r.IntN(2000))
			n, err := o.ReadAt(p, int64(at))
			want := text[min(at, len(text)):min(at+len(p), len(text))]
			if string(p[:n]) != string(want) || (err == io.EOF) != (n < len(p)) {
				t.Fatalf("%s: %d bytes at %d: %d, %v", key, len(p), at, n, err)
			}
		}
	}
	if _, _, refused := store.Seen(); len(refused) > 0 {
		t.Error(refused)
	}
	if _, err := c.Open("s3://bucket/no"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
}

// TestFaults checks that temporary faults are retried a limited number of times with growing pauses, and that others
// are not.
func TestFaults(t *testing.T) {
	const text = "0123456789"
	for name, fault := range map[string]func(w http.ResponseWriter, tag string){
		"500":     func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusInternalServerError) },
		"503":     func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusServiceUnavailable) },
		"429":     func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusTooManyRequests) },
		"dropped": func(http.ResponseWriter, string) { panic(http.ErrAbortHandler) },
		"cut off": func(w http.ResponseWriter, tag string) {
			w.Header().Set("Content-Range", "bytes 2-6/10")
			w.Header().Set("Content-Length", "5")
			w.Header().Set("ETag", tag)
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write([]byte("23"))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
	} {
		for _, times := range []int{1, 3, 100} {
			store := objectstest.New(t)
			store.Put("x", text)
			c, pauses := client(store.Environment)
			o, err := c.Open("s3://bucket/x")
			if err != nil {
				t.Fatal(err)
			}
			store.Fault = func(number int, w http.ResponseWriter, _ *http.Request) bool {
				if number-1 <= times {
					fault(w, o.tag)
					return true
				}
				return false
			}
			p := make([]byte, 5)
			_, err = o.ReadAt(p, 2)
			switch {
			case times < attempts && (err != nil || string(p) != "23456" || len(*pauses) > times ||
				len(*pauses) < times && name != "dropped"): // of which Go repeats some by itself
				t.Errorf("%s, %d times: %q, %v, pauses %v", name, times, p, err, *pauses)
			case times > attempts && (err == nil || len(*pauses) != attempts-1 || (*pauses)[4] < 16*firstPause):
				t.Errorf("%s always: %v, pauses %v", name, err, *pauses)
			}
		}
	}
}

// TestChanged checks that an object that changes between two reads is not read further, also from a server that ignores
// If-Match.
func TestChanged(t *testing.T) {
	for _, knows := range []bool{true, false} {
		store := objectstest.New(t)
		store.Put("x", "0123456789")
		c, pauses := client(store.Environment)
		o, err := c.Open("s3://bucket/x")
		if err != nil {
			t.Fatal(err)
		}
		store.Fault = func(_ int, _ http.ResponseWriter, r *http.Request) bool {
			if !knows {
				store.Open = true
				r.Header.Del("If-Match")
			}
			return false
		}
		store.Put("x", "abcdefghij")
		if _, err := o.ReadAt(make([]byte, 3), 0); !errors.Is(err, errChanged) || len(*pauses) > 0 {
			t.Errorf("%v after %d pauses", err, len(*pauses))
		}
	}
}

// TestWebServer checks that a web server is read by ranges, and refused if it does not support them.
func TestWebServer(t *testing.T) {
	store := objectstest.New(t)
	store.Open = true
	store.Put("x", "0123456789")
	c, _ := client(func(string) string { return "" })
	o, err := c.Open(store.URL + "/bucket/x")
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 4)
	if _, err := o.ReadAt(p, 3); err != nil || string(p) != "3456" {
		t.Errorf("%q, %v", p, err)
	}
	whole := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = w.Write([]byte("0123456789"))
	}))
	defer whole.Close()
	if o, err = c.Open(whole.URL); err != nil {
		t.Fatal(err)
	}
	if _, err := o.ReadAt(p, 3); err == nil || !strings.Contains(err.Error(), "does not serve ranges") {
		t.Errorf("%q, %v", p, err)
	}
	if _, err := c.List(store.URL + "/bucket/"); err == nil {
		t.Error("a web server is listed")
	}
}

// TestList checks that a list has the objects of all its pages.
func TestList(t *testing.T) {
	store := objectstest.New(t)
	for _, key := range []string{"d/1.csv", "d/2.csv", "d/k=a b/3&4.csv", "d/k=c/5.csv", "d/6.csv", "e/7.csv", "d/"} {
		store.Put(key, key)
	}
	c, _ := client(store.Environment)
	all, err := c.List("s3://bucket/d/")
	if err != nil || len(all) != 5 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, l := range all {
		if key := strings.TrimPrefix(l.URL, "s3://bucket/"); l.Size != int64(len(key)) {
			t.Errorf("%v", l)
		}
	}
}

// TestKeys checks where credentials are found and what missing or wrong ones lead to, and that keys for Amazon are not
// sent to other servers.
func TestKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "credentials")
	text := "[default]\naws_access_key_id = A\naws_secret_access_key=B\n# [x]\n[ other ]\naws_access_key_id=C\n" +
		"aws_secret_access_key=D=\naws_session_token=E\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct {
		environment map[string]string
		scheme      string
		want        keys
	}{
		{map[string]string{"AWS_ACCESS_KEY_ID": "K", "AWS_SECRET_ACCESS_KEY": "S"}, "s3", keys{"K", "S", ""}},
		{map[string]string{"AWS_ACCESS_KEY_ID": "K", "AWS_SECRET_ACCESS_KEY": "S"}, "gs", keys{}},
		{map[string]string{"GS_ACCESS_KEY_ID": "K", "GS_SECRET_ACCESS_KEY": "S"}, "gs", keys{"K", "S", ""}},
		{map[string]string{"AWS_SHARED_CREDENTIALS_FILE": path}, "s3", keys{"A", "B", ""}},
		{map[string]string{"AWS_SHARED_CREDENTIALS_FILE": path, "AWS_PROFILE": "other"}, "s3", keys{"C", "D=", "E"}},
		{map[string]string{"HOME": t.TempDir()}, "s3", keys{}},
	} {
		got, err := New(func(name string) string { return e.environment[name] }).keys(e.scheme)
		if err != nil || got != e.want {
			t.Errorf("%v: %v, %v", e.environment, got, err)
		}
	}
	store := objectstest.New(t)
	store.Put("x", "1")
	c, pauses := client(func(name string) string {
		if name == "AWS_SECRET_ACCESS_KEY" {
			return "wrong"
		}
		return store.Environment(name)
	})
	_, err := c.Open("s3://bucket/x")
	if err == nil || !strings.Contains(err.Error(), "refuses access") || len(*pauses) > 0 {
		t.Errorf("a wrong key: %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "wrong") {
		t.Errorf("the error shows the secret: %v", err)
	}
}
