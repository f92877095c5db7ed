// What a launch gets: runtime/gpu/arguments.go has the same fields.
struct arguments {
  void *const *buffer;
  word seed, step;
  const call *schedule;
  word calls, lanes, first; // the number of the first lane, for noise
  const unsigned char *active; // by lane; null: all
};

// Every warp takes one block of lanes after another, so that scratch memory is only that of the warps.
INLINE void thread(const arguments *a, word warp, word warps) {
  for (word block = warp; block * LANES < a->lanes; block += warps) {
    word lane = block * LANES + LANE;
    if (lane >= a->lanes || a->active && !a->active[lane]) continue;
    context c = {a->buffer, a->seed, a->step, a->schedule, a->calls, a->first + lane, block, warp};
    run(&c);
  }
}
#ifdef CUDASIM
extern "C" __attribute__((visibility("default"))) void launch(const arguments *a, word warps) {
  for (word warp = 0; warp < warps; warp++)
    for (current_lane = 0; current_lane < LANES; current_lane++) thread(a, warp, warps);
}
#else
extern "C" __global__ void __launch_bounds__(128) launch(const arguments *a) {
  unsigned warps = blockDim.x >> 5;
  thread(a, blockIdx.x * warps + (threadIdx.x >> 5), gridDim.x * warps);
}
#endif
