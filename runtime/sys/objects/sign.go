package objects

import (
	"bufio"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Requests are signed by version 4 of Amazon's signatures ("Authenticating Requests: Using the Authorization Header" of
// the S3 API Reference): a hash of the request in canonical form is signed by a key for the day, the region and the
// service.

// keys holds credentials; all fields are empty for files that anybody may read.
type keys struct{ id, secret, session string }

// sign signs a request for an object of a store.
func (c *Client) sign(r *http.Request, name string) error {
	scheme, _, _ := strings.Cut(name, "://")
	if scheme != "s3" && scheme != "gs" {
		return nil
	}
	k, err := c.keys(scheme)
	if err != nil || k.id == "" {
		return err
	}
	r.Header.Set("X-Amz-Content-Sha256", emptyHash)
	if k.session != "" {
		r.Header.Set("X-Amz-Security-Token", k.session)
	}
	c.signAs(r, k, c.region(scheme), "s3")
	return nil
}

// emptyHash is the SHA-256 of an empty body; all requests have an empty body.
const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// signAs adds the time and the signature to a request.
func (c *Client) signAs(r *http.Request, k keys, region, service string) {
	now := c.Now().UTC()
	r.Header.Set("X-Amz-Date", now.Format("20060102T150405Z"))
	scope := strings.Join([]string{now.Format("20060102"), region, service, "aws4_request"}, "/")
	names, text := canonical(r)
	sum := sha256.Sum256([]byte(text))
	toSign := strings.Join([]string{"AWS4-HMAC-SHA256", r.Header.Get("X-Amz-Date"), scope,
		hex.EncodeToString(sum[:])}, "\n")
	key := []byte("AWS4" + k.secret)
	for _, part := range strings.Split(scope, "/") {
		key = mac(key, part)
	}
	r.Header.Set("Authorization", fmt.Sprintf("AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s", k.id,
		scope, names, hex.EncodeToString(mac(key, toSign))))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// canonical returns a request in the form that is signed, and the names of the headers in it.
func canonical(r *http.Request) (names, text string) {
	header := map[string]string{"host": r.URL.Host}
	for k, v := range r.Header {
		header[strings.ToLower(k)] = strings.TrimSpace(strings.Join(v, ","))
	}
	var all []string
	for k := range header {
		all = append(all, k)
	}
	slices.Sort(all)
	names = strings.Join(all, ";")
	lines := []string{r.Method, cmp.Or(r.URL.EscapedPath(), "/"), r.URL.RawQuery}
	for _, k := range all {
		lines = append(lines, k+":"+header[k])
	}
	hash := cmp.Or(r.Header.Get("X-Amz-Content-Sha256"), emptyHash)
	return names, strings.Join(append(lines, "", names, hash), "\n")
}

// escapedPath escapes all bytes of a path except those that signatures require unescaped.
func escapedPath(path string) string { return strings.ReplaceAll(escaped(path), "%2F", "/") }

func escapedQuery(query url.Values) string {
	var all []string
	for k, vs := range query {
		for _, v := range vs {
			all = append(all, escaped(k)+"="+escaped(v))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "&")
}

func escaped(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-_.~", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func (c *Client) region(scheme string) string {
	if scheme == "gs" {
		return "auto"
	}
	return cmp.Or(c.Getenv("AWS_REGION"), c.Getenv("AWS_DEFAULT_REGION"), "us-east-1")
}

// keys returns the credentials of the environment: GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY for Google Cloud Storage,
// and for other stores AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile AWS_PROFILE in the file
// AWS_SHARED_CREDENTIALS_FILE.
func (c *Client) keys(scheme string) (k keys, err error) {
	if scheme == "gs" { // Amazon key ids must not be sent to Google
		return keys{id: c.Getenv("GS_ACCESS_KEY_ID"), secret: c.Getenv("GS_SECRET_ACCESS_KEY")}, nil
	}
	k = keys{c.Getenv("AWS_ACCESS_KEY_ID"), c.Getenv("AWS_SECRET_ACCESS_KEY"), c.Getenv("AWS_SESSION_TOKEN")}
	if k.id != "" && k.secret != "" {
		return k, nil
	}
	path := cmp.Or(c.Getenv("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(c.Getenv("HOME"), ".aws", "credentials"))
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return keys{}, nil
	} else if err != nil {
		return k, err
	}
	defer file.Close()
	want, section, values := cmp.Or(c.Getenv("AWS_PROFILE"), "default"), "", map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			section = strings.TrimSpace(strings.Trim(line, "[]"))
		}
		if name, value, ok := strings.Cut(line, "="); ok && section == want && !strings.HasPrefix(line, "#") {
			values[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	k = keys{values["aws_access_key_id"], values["aws_secret_access_key"], values["aws_session_token"]}
	if name := c.Getenv("AWS_PROFILE"); name != "" && k.id == "" {
		return k, fmt.Errorf("%s has no keys of the profile %s, which AWS_PROFILE names", path, name)
	}
	return k, nil
}
