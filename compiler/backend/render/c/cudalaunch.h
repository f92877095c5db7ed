// The arguments of a launch; runtime/gpu/run.go has the same fields.
struct arguments {
  void *const *buffer;
  word seed, step;
  const call *schedule;
  word lanes, first; // the number of the first lane, for noise
  const unsigned char *active; // by lane; null: all
  word group; // number of lanes in a group; the lanes of a group may read each other's buffers
};

// A kernel is executed by each of `warps` warps of LANES threads. It executes `calls` calls of the schedule, beginning
// with `first`; `step` is added to the step of the arguments.
#define WARP_OF(name) \
  INLINE void name##_warp(const arguments *a, word first, word calls, word step, word warp, word warps)
#ifdef CUDASIM
// shuffled returns the warps in another random order at each launch, so that results are wrong if a warp needs what
// another warp of the same launch computes.
static word *shuffled(word warps) {
  static word state = 1, *order;
  delete[] order;
  order = new word[warps];
  for (word i = 0; i < warps; i++) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    word j = (state >> 33) % (i + 1);
    order[i] = order[j];
    order[j] = i;
  }
  return order;
}
#define KERNEL(name) \
  WARP_OF(name); \
  extern "C" __attribute__((visibility("default"))) \
  void name(const arguments *a, word first, word calls, word step, word threads) { \
    word warps = threads / LANES, *order = shuffled(warps); \
    for (word i = 0; i < warps; i++) \
      for (current_lane = 0; current_lane < LANES; current_lane++) name##_warp(a, first, calls, step, order[i], warps); \
  } \
  WARP_OF(name)
#else
#define KERNEL(name) \
  WARP_OF(name); \
  extern "C" __global__ void __launch_bounds__(128) name(const arguments *a, word first, word calls, word step) { \
    name##_warp(a, first, calls, step, (blockIdx.x * blockDim.x + threadIdx.x) / LANES, gridDim.x * blockDim.x / LANES); \
  } \
  WARP_OF(name)
#endif

INLINE int off(const arguments *a, word lane) { return lane >= a->lanes || a->active && !a->active[lane]; }

// Parallel over lanes: each warp computes one block of lanes after another, so that scratch memory is needed only for
// each warp.
static void run(context *c);
KERNEL(launch) {
  for (word block = warp; block * LANES < a->lanes; block += warps) {
    word lane = block * LANES + LANE;
    if (off(a, lane)) continue;
    context c = {a->buffer, a->seed, a->step + step, a->schedule + first, calls, a->first + lane, block, warp, a->lanes, a->group};
    run(&c);
  }
}

// advance adds to the step of the arguments, for launches that use the same arguments again.
KERNEL(advance) {
  if (warp == 0 && LANE == 0) const_cast<arguments *>(a)->step += step;
}

// Parallel over points: each warp computes one item of one block of lanes after another. If LANES is 1, neighbouring
// threads compute neighbouring items. `first` is the step of a recurrence.
#if LANES == 1
#define BLOCK(i, blocks, items) ((i) / (items))
#define ITEM(i, blocks, items) ((i) % (items))
#else
#define BLOCK(i, blocks, items) ((i) % (blocks))
#define ITEM(i, blocks, items) ((i) / (blocks))
#endif
#define STAGE(name, items, statements) \
  KERNEL(name) { \
    const long turn = first; \
    word blocks = (a->lanes + LANES - 1) / LANES; \
    for (word i = warp; i < blocks * items; i += warps) { \
      word block = BLOCK(i, blocks, items), lane = block * LANES + LANE; \
      if (off(a, lane)) continue; \
      const long item = ITEM(i, blocks, items); \
      const context own = {a->buffer, a->seed, a->step + step, 0, 0, a->first + lane, block, warp, a->lanes, a->group}, *c = &own; \
      statements \
    } \
  }

