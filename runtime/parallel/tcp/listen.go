package tcp

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"ppl/runtime/parallel/ranks"
)

// mostStrangers is the largest number of connections that are being authenticated. Further connections are closed at
// once, and workers among them try again.
const mostStrangers = 64

// A Listener accepts workers for rank 0. After all workers have connected it continues, in order to refuse late ones.
type Listener struct {
	net      net.Listener
	config   *tls.Config
	party    Party
	arrivals chan *arrival
	complete chan struct{} // closed when all workers are connected
	note     func(string)
	noting   sync.Mutex
}

// An arrival is an authenticated worker.
type arrival struct {
	introduction
	link *link
}

// Listen opens an address, HOST:PORT, for workers. An empty host means all addresses of this machine; port 0 means any
// free port.
func Listen(address string, p Party) (*Listener, error) {
	config, err := serverConfig()
	if err != nil {
		return nil, err
	}
	n, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen at %s: %w", address, plain(err))
	}
	return &Listener{net: n, config: config, party: p, arrivals: make(chan *arrival), complete: make(chan struct{}),
		note: func(string) {}}, nil
}

// Address returns the HOST:PORT to which workers connect.
func (l *Listener) Address() string { return l.net.Addr().String() }

// Join waits until the given number of workers have connected, and returns the Comm of rank 0. It calls note, one call
// at a time, for each worker that connects or is refused. If ctx ends before, the error contains the number of
// connected workers, and they are disconnected. The listener is closed with the Comm, or when Join returns an error.
// Join must be called only once.
func (l *Listener) Join(ctx context.Context, workers int, note func(string)) (*Comm, error) {
	l.note = func(text string) {
		l.noting.Lock()
		defer l.noting.Unlock()
		note(text)
	}
	members := make([]member, workers)
	beating, stop := context.WithCancel(context.Background())
	go l.accept(beating)
	for missing(members) > 0 {
		select {
		case a := <-l.arrivals:
			enter(members, a)
			l.note(fmt.Sprintf("%s has connected, %d of %d", a.link.peer, workers-missing(members), workers))
		case <-ctx.Done():
			err := fmt.Errorf("%d of %d workers have connected: %w", workers-missing(members), workers,
				context.Cause(ctx))
			comm := l.comm(members, stop)
			comm.sendFailure("the run has not begun: " + err.Error())
			comm.Close()
			return nil, err
		}
		if missing(members) == 0 {
			l.start(members)
		}
	}
	close(l.complete)
	c := l.comm(members, stop)
	c.exchange = ranks.MeasureExchange(c)
	return c, nil
}

// A member is a rank after the first.
type member struct {
	*arrival      // nil while the place is free
	ready    bool // the worker has received its rank
}

func missing(members []member) (n int) {
	for _, s := range members {
		if s.arrival == nil {
			n++
		}
	}
	return n
}

// enter assigns a place to a worker: its former place if it has connected again after losing its connection, otherwise
// the first free place.
func enter(members []member, a *arrival) {
	at := slices.IndexFunc(members, func(s member) bool { return s.arrival != nil && s.ID == a.ID })
	if at >= 0 {
		members[at].link.conn.Close()
	} else {
		at = slices.IndexFunc(members, func(s member) bool { return s.arrival == nil })
	}
	members[at] = member{arrival: a}
}

// start sends the workers their ranks. The places of workers that do not answer become free.
func (l *Listener) start(members []member) {
	for i, s := range members {
		if s.ready {
			continue
		}
		if err := s.link.assign(place{i + 1, len(members) + 1, onHost(members, s.Host)}); err != nil {
			l.note(fmt.Sprintf("%v, before the run has begun; waiting for another worker", err))
			s.link.conn.Close()
			members[i] = member{}
			continue
		}
		members[i].ready = true
	}
}

// onHost returns the number of ranks on a machine, by its name.
func onHost(members []member, host string) (n int) {
	if here, err := os.Hostname(); err == nil && here == host {
		n = 1
	}
	for _, m := range members {
		if m.arrival != nil && m.Host == host {
			n++
		}
	}
	return n
}

// assign sends a worker its place and waits for its answer.
func (l *link) assign(p place) error {
	text, err := json.Marshal(p)
	if err == nil {
		err = l.send(welcome, text)
	}
	if err == nil {
		err = l.receive(ready)
	}
	return err
}

// comm returns the Comm of rank 0 with the workers that are connected.
func (l *Listener) comm(members []member, stop context.CancelFunc) *Comm {
	here, _ := os.Hostname() // without a name, rank 0 counts as alone on its machine
	c := &Comm{size: len(members) + 1, local: max(1, onHost(members, here)), stop: stop, listener: l.net}
	for _, s := range members {
		if s.arrival != nil {
			c.links = append(c.links, s.link)
		}
	}
	return c
}

// accept accepts connections until the listener is closed.
func (l *Listener) accept(ctx context.Context) {
	strangers := make(chan struct{}, mostStrangers)
	for {
		raw, err := l.net.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // may be temporary, such as too many open files
			time.Sleep(50 * time.Millisecond)
			continue
		}
		select {
		case strangers <- struct{}{}:
			go func() {
				defer func() { <-strangers }()
				l.judge(ctx, raw)
			}()
		default:
			raw.Close()
		}
	}
}

// judge authenticates a connection, and passes the worker to Join. Connections that send something else, such as those
// of a port scanner, are closed without a note.
func (l *Listener) judge(ctx context.Context, raw net.Conn) {
	from := raw.RemoteAddr().String()
	c, judged, err := l.party.admit(raw, l.config)
	switch {
	case err != nil:
		raw.Close()
		return
	case judged != known:
		l.note(fmt.Sprintf("refused %s: %s", from, map[judgement]string{otherSecret: "its secret differs",
			otherVersion: "the worker has another version of ppl"}[judged]))
		newLink(c, "", greetWithin).drain(time.Second)
		return
	}
	a, err := l.introduced(c, from)
	if err != nil {
		raw.Close()
		return
	}
	l.take(ctx, a)
}

// introduced reads the introduction of an authenticated worker.
func (l *Listener) introduced(c net.Conn, from string) (*arrival, error) {
	a := &arrival{link: newLink(c, "the worker at "+from, l.party.silence())}
	text, err := a.link.receiveText(hello)
	if err == nil {
		err = json.Unmarshal(text, &a.introduction)
	}
	a.link.peer = fmt.Sprintf("the worker at %s (%s, process %d)", from, a.Host, a.Process)
	return a, err
}

// take passes an authenticated worker to Join, or refuses it.
func (l *Listener) take(ctx context.Context, a *arrival) {
	if a.Build != l.party.Build {
		l.refuse(a, fmt.Sprintf("the worker's ppl is %s, and the coordinator's is %s", a.Build, l.party.Build))
		return
	}
	if a.link.send(accepted) != nil {
		a.link.conn.Close()
		return
	}
	go a.link.beatOn(ctx)
	select {
	case l.arrivals <- a:
	case <-l.complete:
		l.refuse(a, "the run has begun with all its workers, and needs no more")
	case <-ctx.Done():
		l.refuse(a, "the run has ended")
	}
}

// refuse sends a worker the reason why it is refused, closes its connection, and notes it.
func (l *Listener) refuse(a *arrival, reason string) {
	l.note(fmt.Sprintf("refused %s: %s", a.link.peer, reason))
	if a.link.send(failing, []byte(reason)) == nil {
		a.link.drain(time.Second)
	}
	a.link.conn.Close()
}
