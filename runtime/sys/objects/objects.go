// Package objects reads ranges of files in object stores and on web servers:
//
//	s3://BUCKET/KEY    Amazon S3 or a compatible store at AWS_ENDPOINT_URL; requests are signed (sign.go)
//	gs://BUCKET/KEY    Google Cloud Storage by its S3 interface, with HMAC keys
//	https://HOST/PATH  a web server that serves ranges; also http://
//
// A request that fails for a possibly temporary reason is repeated after a pause that doubles each time. If a file
// changes while it is read, reading fails: each request for a range names the version of the first answer. The length
// and the position of each answer are compared with the request.
package objects

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Client makes requests.
type Client struct {
	HTTP   *http.Client
	Getenv func(string) string
	Now    func() time.Time
	Pause  func(time.Duration) // called before a request is repeated
}

// New returns a client with the credentials of the environment.
func New(getenv func(string) string) *Client {
	return &Client{HTTP: &http.Client{Timeout: 5 * time.Minute}, Getenv: getenv, Now: time.Now, Pause: time.Sleep}
}

// attempts is the largest number of times that a request is made. firstPause is the pause before the first repetition;
// it doubles with each further one.
const (
	attempts   = 6
	firstPause = 200 * time.Millisecond
)

// An Object is a file of a store, in the version that it had when it was opened.
type Object struct {
	client *Client
	url    string
	size   int64
	tag    string
}

// A Listed is a file that a store lists.
type Listed struct {
	URL  string
	Size int64
}

// Open requests the size and the version of a file.
func (c *Client) Open(name string) (*Object, error) {
	o := &Object{client: c, url: name}
	err := c.repeated(name, func() error {
		answer, err := c.do(http.MethodHead, name, nil, nil)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		o.size = answer.ContentLength
		if o.size < 0 {
			return errors.New("the server does not report the length of the file")
		}
		o.tag = answer.Header.Get("ETag")
		return nil
	})
	return o, err
}

// Size returns the length of the file in bytes.
func (o *Object) Size() int64 { return o.size }

// Version returns a text that changes with the content of the file, or "" if the server supplies none.
func (o *Object) Version() string { return o.tag }

// ReadAt reads a range of the file. It implements io.ReaderAt.
func (o *Object) ReadAt(p []byte, at int64) (n int, err error) {
	want := p[:max(0, min(int64(len(p)), o.size-at))]
	if len(want) > 0 {
		err = o.client.repeated(o.url, func() error { return o.readRange(want, at) })
	}
	if err == nil && len(want) < len(p) {
		err = io.EOF
	}
	return len(want), err
}

func (o *Object) readRange(p []byte, at int64) error {
	end := at + int64(len(p)) - 1
	header := map[string]string{"Range": fmt.Sprintf("bytes=%d-%d", at, end)}
	if o.tag != "" && !strings.HasPrefix(o.tag, "W/") {
		header["If-Match"] = o.tag
	}
	answer, err := o.client.do(http.MethodGet, o.url, nil, header)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	place := fmt.Sprintf("bytes %d-%d/%d", at, end, o.size)
	switch whole := answer.StatusCode == http.StatusOK; {
	case whole && (at > 0 || answer.ContentLength != int64(len(p))):
		return errors.New("the server does not serve ranges of files")
	case !whole && answer.Header.Get("Content-Range") != place, o.tag != answer.Header.Get("ETag"):
		return errChanged
	}
	if _, err = io.ReadFull(answer.Body, p); err != nil {
		return passing{fmt.Errorf("the answer is cut off: %w", err)}
	}
	return nil
}

var errChanged = errors.New("the file was changed while it was read; start again")

// List lists the files whose keys begin with the key of an S3 or Google Cloud Storage URL.
func (c *Client) List(prefix string) (all []Listed, err error) {
	scheme, rest, _ := strings.Cut(prefix, "://")
	bucket, key, _ := strings.Cut(rest, "/")
	if scheme != "s3" && scheme != "gs" {
		return nil, fmt.Errorf("%s: the files of a web server cannot be listed; name one", prefix)
	}
	for next := ""; ; {
		query := url.Values{"list-type": {"2"}, "prefix": {key}}
		if next != "" {
			query.Set("continuation-token", next)
		}
		var page struct {
			Contents []struct {
				Key  string
				Size int64
			}
			IsTruncated           bool
			NextContinuationToken string
		}
		err := c.repeated(prefix, func() error {
			answer, err := c.do(http.MethodGet, scheme+"://"+bucket+"/", query, nil)
			if err != nil {
				return err
			}
			defer answer.Body.Close()
			text, err := io.ReadAll(io.LimitReader(answer.Body, mostListed))
			if err != nil {
				return passing{err}
			}
			page.Contents = nil
			return xml.Unmarshal(text, &page)
		})
		if err != nil {
			return nil, err
		}
		for _, x := range page.Contents {
			if !strings.HasSuffix(x.Key, "/") {
				all = append(all, Listed{scheme + "://" + bucket + "/" + x.Key, x.Size})
			}
		}
		next = page.NextContinuationToken
		if !page.IsTruncated || next == "" {
			return all, nil
		}
	}
}

// mostListed bounds the size of an answer that lists a thousand files.
const mostListed = 16 << 20

// A passing is an error of a request that may succeed if it is repeated.
type passing struct{ error }

func (p passing) Unwrap() error { return p.error }

// repeated makes a request until it succeeds or fails permanently.
func (c *Client) repeated(name string, request func() error) (err error) {
	pause := firstPause
	for n := range attempts {
		if err = request(); err == nil || !errors.As(err, &passing{}) || n == attempts-1 {
			break
		}
		c.Pause(pause + rand.N(pause)) // random, so that processes do not repeat requests at the same time
		pause *= 2
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return err
}

// do makes a request once.
func (c *Client) do(method, name string, query url.Values, header map[string]string) (*http.Response, error) {
	request, err := c.request(method, name, query)
	if err != nil {
		return nil, err
	}
	for k, v := range header {
		request.Header.Set(k, v)
	}
	if err := c.sign(request, name); err != nil {
		return nil, err
	}
	answer, err := c.HTTP.Do(request)
	if err != nil {
		return nil, passing{reason(err)}
	}
	if answer.StatusCode == http.StatusOK || answer.StatusCode == http.StatusPartialContent {
		return answer, nil
	}
	defer answer.Body.Close()
	return nil, refusal(answer, name)
}

// reason returns an error of a connection without its URL, which may contain a signature.
func reason(err error) error {
	var u *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("the server does not answer")
	case errors.As(err, &u):
		return u.Err
	}
	return err
}

// refusal returns the error for an answer with another status than success.
func refusal(answer *http.Response, name string) error {
	var said struct{ Code, Message string }
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10)) // the body may contain an error code
	_ = xml.Unmarshal(text, &said)
	switch code := answer.StatusCode; {
	case code == http.StatusNotFound:
		return fmt.Errorf("%w on the server", fs.ErrNotExist)
	case code == http.StatusPreconditionFailed, code == http.StatusRequestedRangeNotSatisfiable:
		return errChanged
	case code == http.StatusForbidden || code == http.StatusUnauthorized:
		scheme, _, _ := strings.Cut(name, "://")
		return fmt.Errorf("the server refuses access (%s)%s", strings.TrimSpace(answer.Status+" "+said.Code),
			credentials[scheme])
	case code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout:
		return passing{fmt.Errorf("the server answers %s", answer.Status)}
	}
	return fmt.Errorf("the server answers %s", strings.TrimSpace(answer.Status+" "+said.Code))
}

// credentials maps the scheme of a URL to advice on how to set credentials.
var credentials = map[string]string{
	"s3": "; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
	"gs": "; set GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY",
}

// request returns a request for a file, without a signature.
func (c *Client) request(method, name string, query url.Values) (*http.Request, error) {
	scheme, rest, _ := strings.Cut(name, "://")
	if scheme != "s3" && scheme != "gs" {
		return http.NewRequestWithContext(context.Background(), method, name, nil)
	}
	base, err := url.Parse(c.endpoint(scheme))
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("the address of the store is not a URL: %s; correct AWS_ENDPOINT_URL_S3 or "+
			"AWS_ENDPOINT_URL", strconv.Quote(c.endpoint(scheme)))
	}
	base.Path = strings.TrimSuffix(base.Path, "/") + "/" + rest
	base.RawPath, base.RawQuery = escapedPath(base.Path), escapedQuery(query)
	return http.NewRequestWithContext(context.Background(), method, base.String(), nil)
}

// endpoint returns the server of a scheme.
func (c *Client) endpoint(scheme string) string {
	if scheme == "gs" {
		return "https://storage.googleapis.com"
	}
	for _, name := range []string{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"} {
		if at := c.Getenv(name); at != "" {
			return at
		}
	}
	return "https://s3." + c.region(scheme) + ".amazonaws.com"
}
