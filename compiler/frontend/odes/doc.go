// Package odes builds systems of ordinary differential equations from the statements about their states: right-hand
// sides, initial values, events, and reads of states at given times.
//
//	u'(t) = -k * u(t)                  the derivative of state u; u(t) is its value at the present time
//	u(0) = dose                        the initial value, at time 0
//	at[d in D] t = when[d]: u += 1     an event, which changes the state
//	y[i in N] ~ Normal(u(time[i]), s)  a query: the state at a time
//
// States whose equations read each other form one first-order system (Hairer, Nørsett and Wanner 1993, Solving Ordinary
// Differential Equations I, section I.1). Equations for parts of a state, u'[1](t) and u'[k in 2..K](t), are combined
// into one that selects by the index. Delays are an error: an expression that reads a state at a time other than the
// present must not be part of the state's equations. Package check resolves other names (Names).
package odes
