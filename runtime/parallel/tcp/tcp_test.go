package tcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"ppl/runtime/parallel/ranks"
)

func party() Party {
	return Party{Secret: []byte("twenty letters long."), Build: "ppl 1, linux/amd64", Silence: 20 * time.Second}
}

// limited returns a context with a time limit for tests.
func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// A log records the notes of a job.
type log struct {
	mutex sync.Mutex
	lines []string
}

func (l *log) note(text string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.lines = append(l.lines, text)
}

// has waits until some note contains the text.
func (l *log) has(t *testing.T, text string) {
	t.Helper()
	for range 500 {
		l.mutex.Lock()
		all := strings.Join(l.lines, "\n")
		l.mutex.Unlock()
		if strings.Contains(all, text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("no note has %q: %q", text, l.lines)
}

func listen(t *testing.T, p Party) *Listener {
	t.Helper()
	l, err := Listen("127.0.0.1:0", p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.net.Close() })
	return l
}

// job connects n ranks over loopback.
func job(t *testing.T, n int, p Party) []*Comm {
	t.Helper()
	l := listen(t, p)
	all := make([]*Comm, n)
	errs := make([]error, n)
	var joined sync.WaitGroup
	joined.Go(func() { all[0], errs[0] = l.Join(limited(t), n-1, func(string) {}) })
	for range n - 1 {
		joined.Go(func() {
			c, err := Connect(limited(t), l.Address(), p, func(string) {})
			if err != nil {
				t.Error(err)
				return
			}
			all[c.Rank()] = c
		})
	}
	joined.Wait()
	if err := errors.Join(errs...); err != nil || t.Failed() {
		t.Fatal(err)
	}
	return all
}

// onAll calls do on each rank and then closes its connections.
func onAll(all []*Comm, do func(*Comm) error) error {
	errs := make([]error, len(all))
	var done sync.WaitGroup
	for i, c := range all {
		done.Go(func() { errs[i] = do(c); c.Close() })
	}
	done.Wait()
	return errors.Join(errs...)
}

// exchangeAll makes the calls of a Comm with parts of many lengths, and checks that every rank receives the parts of
// all.
func exchangeAll(c *Comm) error {
	r := rand.New(rand.NewPCG(1, 2)) // the same on all ranks
	for turn := range 60 {
		starts := []int{0}
		for range c.Size() {
			starts = append(starts, starts[len(starts)-1]+r.IntN(1+turn*turn*turn))
		}
		want, got := make([]byte, starts[c.Size()]), make([]byte, starts[c.Size()])
		for i := range want {
			want[i] = byte(r.Uint32())
		}
		first, end := starts[c.Rank()], starts[c.Rank()+1]
		copy(got[first:end], want[first:end])
		if err := c.Gather(got, starts); err != nil || !bytes.Equal(got, want) {
			return fmt.Errorf("rank %d, turn %d: other bytes, or %w", c.Rank(), turn, err)
		}
		from := turn % c.Size()
		if c.Rank() != from {
			clear(got)
		}
		if err := c.Broadcast(got, from); err != nil || !bytes.Equal(got, want) {
			return fmt.Errorf("rank %d, turn %d: other bytes of rank %d, or %w", c.Rank(), turn, from, err)
		}
	}
	texts, err := ranks.GatherTexts(c, strings.Repeat("y", c.Rank()))
	for r, text := range texts {
		if len(text) != r {
			return fmt.Errorf("rank %d has sent %q", r, text)
		}
	}
	return err
}

// TestExchange checks that every rank receives the parts of all ranks, also empty parts and parts larger than a chunk.
func TestExchange(t *testing.T) {
	for _, n := range []int{2, 3, 5} {
		if err := onAll(job(t, n, party()), exchangeAll); err != nil {
			t.Errorf("%d ranks: %v", n, err)
		}
	}
	large := func(c *Comm) error {
		starts := ranks.Even(c.Size(), 3*chunk+7, c.Size())
		all := make([]byte, starts[c.Size()])
		for i := starts[c.Rank()]; i < starts[c.Rank()+1]; i++ {
			all[i] = byte(i * i >> 8)
		}
		if err := c.Gather(all, starts); err != nil {
			return err
		}
		for i := range all {
			if all[i] != byte(i*i>>8) {
				return fmt.Errorf("rank %d: byte %d is %d", c.Rank(), i, all[i])
			}
		}
		return nil
	}
	if err := onAll(job(t, 3, party()), large); err != nil {
		t.Error(err)
	}
}

// TestTraffic checks that a gather takes 2(n − 1) messages of (n − 1)·T bytes in all, as documented.
func TestTraffic(t *testing.T) {
	const n, part, times = 4, 100, 10
	var messages, size int64
	err := onAll(job(t, n, party()), func(c *Comm) error {
		all, starts := make([]byte, n*part), ranks.Even(n, part, n)
		before, bytes := c.Traffic()
		for range times {
			if err := c.Gather(all, starts); err != nil {
				return err
			}
		}
		if c.Rank() == 0 {
			messages, size = c.Traffic()
			messages, size = messages-before, size-bytes
		}
		return nil
	})
	if err != nil || messages != times*2*(n-1) || size != times*(n-1)*n*part {
		t.Errorf("%d messages of %d bytes, %v", messages, size, err)
	}
}

// TestCollect checks that rank 0 collects parts of any length in one message from each worker that has one, and that
// workers do not wait for it.
func TestCollect(t *testing.T) {
	const n = 4
	lengths := []int{3, 0, 5, 2 << 20}
	starts := make([]int, n+1)
	for r, length := range lengths {
		starts[r+1] = starts[r] + length
	}
	err := onAll(job(t, n, party()), func(c *Comm) error {
		mine := bytes.Repeat([]byte{byte(c.Rank() + 1)}, lengths[c.Rank()])
		var all []byte
		if c.Rank() == 0 {
			all = make([]byte, starts[n])
		}
		before, beforeBytes := c.Traffic()
		if err := c.Collect(mine, all, starts); err != nil || c.Rank() > 0 {
			return err
		}
		for r := range n {
			if part := all[starts[r]:starts[r+1]]; bytes.Count(part, []byte{byte(r + 1)}) != len(part) {
				t.Errorf("the part of rank %d has other bytes", r)
			}
		}
		messages, size := c.Traffic()
		if messages-before != 2 || size-beforeBytes != int64(starts[n]-lengths[0]) {
			t.Errorf("%d messages of %d bytes", messages-before, size-beforeBytes)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestWorkerGoes checks that rank 0 names a rank that ends without notice, that the others learn it from rank 0, and
// that all later calls fail.
func TestWorkerGoes(t *testing.T) {
	all := job(t, 3, party())
	err := onAll(all, func(c *Comm) error {
		for turn := range 5 {
			if c.Rank() == 2 && turn == 3 {
				c.links[0].conn.Close()
				return nil
			}
			if err := ranks.Barrier(c); err != nil {
				if again := c.Broadcast(nil, 0); again != err {
					t.Errorf("rank %d: %v, and then %v", c.Rank(), err, again)
				}
				return fmt.Errorf("rank %d: %w", c.Rank(), err)
			}
		}
		return fmt.Errorf("rank %d has noticed nothing", c.Rank())
	})
	gone := all[0].links[1].peer + " has gone: "
	if said := fmt.Sprint(err); !strings.Contains(said, "rank 0: "+gone) ||
		!strings.Contains(said, "rank 1: "+all[1].links[0].peer+": the run has ended: "+gone) ||
		strings.Count(said, "\n") != 1 {
		t.Error(err)
	}
}

// TestCoordinatorGoes checks that workers report that rank 0 has ended, with its reason if it gave one.
func TestCoordinatorGoes(t *testing.T) {
	for want, end := range map[string]func(*Comm){
		"has gone: its process has ended": func(c *Comm) {
			for _, l := range c.links {
				l.conn.Close()
			}
		},
		"an internal error": func(c *Comm) { c.Abort("an internal error") },
	} {
		err := onAll(job(t, 3, party()), func(c *Comm) error {
			if c.Rank() == 0 {
				end(c)
				return nil
			}
			return ranks.Barrier(c)
		})
		if strings.Count(fmt.Sprint(err), want) != 2 {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// TestSilence checks that a rank that computes for longer than the limit of silence is waited for, and that a connected
// one that sends no signs of life is not.
func TestSilence(t *testing.T) {
	p := party()
	p.Silence = time.Second
	for _, stops := range []bool{false, true} {
		err := onAll(job(t, 2, p), func(c *Comm) error {
			if c.Rank() == 1 {
				if stops {
					c.stop()
				}
				time.Sleep(2 * time.Second)
			}
			return ranks.Barrier(c)
		})
		if said := fmt.Sprint(err); stops != strings.Contains(said, "has not answered for 1s") {
			t.Errorf("stops %v: %v", stops, err)
		}
	}
}

// TestOutOfStep checks that ranks that make different calls get an internal error.
func TestOutOfStep(t *testing.T) {
	err := onAll(job(t, 2, party()), func(c *Comm) error {
		return c.Gather(make([]byte, 10+c.Rank()), []int{0, 5, 10 + c.Rank()})
	})
	if !strings.Contains(fmt.Sprint(err), "is at another point of the run: 1 bytes more than here") {
		t.Error(err)
	}
}

// TestTooFewCome checks that rank 0 gives up after its time limit if too few workers connect, and that it dismisses
// those that have.
func TestTooFewCome(t *testing.T) {
	l := listen(t, party())
	ctx, cancel := context.WithTimeoutCause(t.Context(), 600*time.Millisecond, errors.New("a minute has passed"))
	defer cancel()
	sent := make(chan error)
	go func() {
		_, err := Connect(limited(t), l.Address(), party(), func(string) {})
		sent <- err
	}()
	_, err := l.Join(ctx, 2, func(string) {})
	if fmt.Sprint(err) != "1 of 2 workers have connected: a minute has passed" {
		t.Error(err)
	}
	if err := <-sent; !strings.HasSuffix(fmt.Sprint(err), "the run has not begun: 1 of 2 workers have connected: a "+
		"minute has passed") {
		t.Error(err)
	}
	if _, err := Listen(l.Address(), party()); err != nil {
		t.Errorf("the port is still in use: %v", err)
	}
}

// TestConnectWaits checks that a worker retries while no coordinator answers, until its context ends, and that a worker
// that waits for others ends with its context.
func TestConnectWaits(t *testing.T) {
	l := listen(t, party())
	address := l.Address()
	l.net.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var said log
	if _, err := Connect(ctx, address, party(), said.note); !strings.Contains(fmt.Sprint(err),
		"no coordinator has answered at "+address+": ") || len(said.lines) != 1 {
		t.Error(err, said.lines)
	}
	later, err := Listen(address, party())
	if err != nil {
		t.Skip(err) // somebody else has the port now
	}
	defer later.net.Close()
	go func() { _, _ = later.Join(t.Context(), 2, said.note) }()
	waiting, leave := context.WithCancel(t.Context())
	go func() { said.has(t, "has connected, 1 of 2"); leave() }()
	if _, err := Connect(waiting, address, party(), func(string) {}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestPortInUse checks that the error for a port in use names the address.
func TestPortInUse(t *testing.T) {
	l := listen(t, party())
	if _, err := Listen(l.Address(), party()); !strings.Contains(fmt.Sprint(err), "cannot listen at "+l.Address()) {
		t.Error(err)
	}
}

// TestIPv6 checks that ranks can connect over IPv6.
func TestIPv6(t *testing.T) {
	l, err := Listen("[::1]:0", party())
	if err != nil {
		t.Skip(err)
	}
	go func() { _, _ = Connect(limited(t), l.Address(), party(), func(string) {}) }()
	c, err := l.Join(limited(t), 1, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(c.links[0].peer, "the worker at [::1]:") {
		t.Error(c.links[0].peer)
	}
	c.Abort("")
}

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"node7": "node7:7437", "node7:80": "node7:80", "10.0.0.7": "10.0.0.7:7437", "::1": "[::1]:7437",
		"[::1]": "[::1]:7437", "[::1]:80": "[::1]:80", "fe80::1%eth0": "[fe80::1%eth0]:7437", "": ":7437", ":80": ":80",
		"a:b:c": "", "node7:x": "", "node7:70000": "", "[::1": "",
	} {
		if got, err := Address(text); got != want && (want != "" || err == nil) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
