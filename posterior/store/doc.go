// Package store keeps named draws on disk: a Zarr store in the InferenceData layout that ArviZ reads, written in
// streamed, atomic chunks, so that whatever ends a run the draws so far are usable.
//
// A run directory is a Zarr hierarchy of format 2 (https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html) with one
// group per kind of array (posterior, sample_stats, observed_data:
// https://python.arviz.org/en/stable/schema/schema.html). Besides the groups it has model.ppl (the source as run),
// options.json (what was asked), layout.json (names and shapes) and run.json (status, counts, sampler's report).
//
// Chains fill chunks at their own pace; those of a short run, or of many chains, share files. A chunk is written to a
// temporary name, synced and renamed; then the metadata are renewed, .zmetadata last. It commits: its shapes say how
// many draws every chain has, the least over the chains, and what lies beyond them is not read.
package store
