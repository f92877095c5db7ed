package tcp

import (
	"context"
	"net"
	"time"
)

// A Comm connects the ranks of a job by a star with rank 0 in the middle. It is a ranks.Comm.
type Comm struct {
	rank, size int
	local      int     // ranks of this machine
	links      []*link // of rank 0: with ranks 1, 2, …; of the others: with rank 0
	failed     error   // why the job has ended
	stop       context.CancelFunc
	listener   net.Listener // of rank 0
}

// Rank is this process's number.
func (c *Comm) Rank() int { return c.rank }

// Size is the number of ranks.
func (c *Comm) Size() int { return c.size }

// LocalRanks is how many ranks are on this machine, by its name.
func (c *Comm) LocalRanks() int { return c.local }

// Gather is ranks.Comm's: rank 0 takes the parts of all, and sends each worker those of the others.
func (c *Comm) Gather(all []byte, starts []int) error {
	if c.failed != nil {
		return c.failed
	}
	if c.rank > 0 {
		return c.fail(c.gatherWithCentre(all, starts))
	}
	for i, l := range c.links {
		if err := l.receive(gathering, all[starts[i+1]:starts[i+2]]); err != nil {
			return c.fail(err)
		}
	}
	for i, l := range c.links {
		if err := l.send(gathering, all[:starts[i+1]], all[starts[i+2]:starts[c.size]]); err != nil {
			return c.fail(err)
		}
	}
	return nil
}

func (c *Comm) gatherWithCentre(all []byte, starts []int) error {
	first, end := starts[c.rank], starts[c.rank+1]
	if err := c.links[0].send(gathering, all[first:end]); err != nil {
		return c.lastWords(err)
	}
	return c.links[0].receive(gathering, all[:first], all[end:starts[c.size]])
}

// Broadcast is ranks.Comm's: what is not of rank 0 goes there first.
func (c *Comm) Broadcast(data []byte, from int) error {
	switch {
	case c.failed != nil:
		return c.failed
	case c.rank > 0 && c.rank == from:
		return c.fail(c.lastWords(c.links[0].send(casting, data)))
	case c.rank > 0:
		return c.fail(c.links[0].receive(casting, data))
	case from > 0:
		if err := c.links[from-1].receive(casting, data); err != nil {
			return c.fail(err)
		}
	}
	for i, l := range c.links {
		if i+1 == from {
			continue
		}
		if err := l.send(casting, data); err != nil {
			return c.fail(err)
		}
	}
	return nil
}

// lastWords is why rank 0 takes nothing any more, if it has said so.
func (c *Comm) lastWords(err error) error {
	if err == nil {
		return nil
	}
	if _, said := c.links[0].next(failing); said != nil {
		return said
	}
	return err
}

// fail ends the job on this rank, if there is an error; rank 0 lets the others know.
func (c *Comm) fail(err error) error {
	if err != nil && c.failed == nil {
		c.failed = err
		if c.rank == 0 {
			c.sendFailure("the run has ended: " + err.Error())
		}
	}
	return c.failed
}

// sendFailure lets the workers know why the job ends, those that can be reached.
func (c *Comm) sendFailure(reason string) {
	for _, l := range c.links {
		_ = l.send(failing, []byte(reason[:min(len(reason), mostText)]))
	}
}

// Abort ends the job from any goroutine, in the middle of a call too: the other ranks fail, with that reason if this is
// rank 0.
func (c *Comm) Abort(reason string) {
	said := make(chan struct{})
	go func() {
		defer close(said)
		if c.rank == 0 {
			c.sendFailure(reason)
		}
	}()
	select {
	case <-said:
	case <-time.After(time.Second):
	}
	for _, l := range c.links {
		_ = l.conn.Close()
	}
}

// closeWithin is how long rank 0 waits for the workers to close their connections.
const closeWithin = 5 * time.Second

// Close ends the connections. Workers close theirs first, so that what rank 0 has sent last arrives.
func (c *Comm) Close() {
	c.stop()
	if c.listener != nil {
		_ = c.listener.Close()
	}
	for _, l := range c.links {
		if c.rank == 0 {
			l.drain(closeWithin)
		}
		_ = l.conn.Close()
	}
}

// Traffic is what this rank has sent and received so far, in gathers and broadcasts.
func (c *Comm) Traffic() (messages, bytes int64) {
	for _, l := range c.links {
		messages += l.traffic.messages.Load()
		bytes += l.traffic.bytes.Load()
	}
	return messages, bytes
}
