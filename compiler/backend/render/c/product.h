// Products of large matrices, after Goto and van de Geijn (ACM Transactions on Mathematical Software 34(3), 2008). This
// text is compiled once for each number type: NUMBER is the type, and OF(name) the name of a function for it. Element
// (i, j) of a result is the same sum in the same order for all m and n.
//
// A kernel computes HIGH or LOW rows of the result, one or two vectors of columns of each, in registers. B is packed:
// the one or two vectors that a kernel needs of each row follow each other, so that it reads memory in order. A is read
// in place if its rows are contiguous, or if its columns are contiguous and at most THIN numbers apart; otherwise it is
// packed, too: the numbers that a kernel needs of each column are contiguous.
typedef NUMBER OF(vector) __attribute__((vector_size(8 * LANES), aligned(sizeof(NUMBER)), may_alias));
typedef NUMBER OF(four) __attribute__((vector_size(4 * sizeof(NUMBER)), aligned(sizeof(NUMBER)), may_alias));

#define KERNEL(name, high, vectors, ROW, COLUMN) \
  static __attribute__((noinline)) void OF(name)(long k, const NUMBER *restrict a, long step, const NUMBER *restrict b, long below, \
                                                 NUMBER *restrict to, long line, int add) { \
    OF(vector) sum[high][vectors] = {}; \
    const NUMBER *x[(high + 3) / 4]; /* each is the base of four rows, whose addresses need no arithmetic */ \
    TURNS(4) for (int i = 0; i < (high + 3) / 4; i++) x[i] = a + 4 * i * (ROW); \
    TURNS(8) for (int i = 0; i < high; i++) \
      TURNS(2) for (int v = 0; v < vectors; v++) __builtin_prefetch(to + i * line + v * OF(LONG), 1); \
    for (long p = 0; p < k; p++) { \
      OF(vector) y[vectors]; \
      TURNS(2) for (int v = 0; v < vectors; v++) y[v] = ((const OF(vector) *)b)[v]; \
      TURNS(8) for (int i = 0; i < high; i++) \
        TURNS(2) for (int v = 0; v < vectors; v++) sum[i][v] += x[i / 4][i % 4 * (ROW)] * y[v]; \
      TURNS(4) for (int i = 0; i < (high + 3) / 4; i++) x[i] += COLUMN; \
      b += below; \
    } \
    TURNS(8) for (int i = 0; i < high; i++) \
      TURNS(2) for (int v = 0; v < vectors; v++) { \
        OF(vector) *out = (OF(vector) *)(to + i * line) + v; \
        if (add) sum[i][v] += *out; \
        *out = sum[i][v]; \
      } \
  }
typedef void OF(kernel)(long, const NUMBER *restrict, long, const NUMBER *restrict, long, NUMBER *restrict, long, int);
enum { OF(LONG) = 8 * LANES / sizeof(NUMBER), OF(WIDE) = 2 * OF(LONG), OF(COLUMNS) = 4096 / sizeof(NUMBER) };
KERNEL(low_one_rows, LOW, 1, step, 1)
KERNEL(low_one_columns, LOW, 1, 1, step)
KERNEL(low_two_rows, LOW, 2, step, 1)
KERNEL(low_two_columns, LOW, 2, 1, step)
KERNEL(high_one_rows, HIGH, 1, step, 1)
KERNEL(high_one_columns, HIGH, 1, 1, step)
KERNEL(high_two_rows, HIGH, 2, step, 1)
KERNEL(high_two_columns, HIGH, 2, 1, step)
#undef KERNEL
// The indices: whether a kernel has HIGH rows, whether it has two vectors, and whether the columns of A are contiguous
// instead of its rows. `step` is the distance between two of these columns or rows.
static OF(kernel) *const OF(kernels)[2][2][2] = {
  {{OF(low_one_rows), OF(low_one_columns)}, {OF(low_two_rows), OF(low_two_columns)}},
  {{OF(high_one_rows), OF(high_one_columns)}, {OF(high_two_rows), OF(high_two_columns)}},
};

// to[p·width + j] = from[p·l + j] for j < n, and 0 for n ≤ j < width
static __attribute__((noinline)) void OF(pack_rows)(long k, long n, long width, const NUMBER *restrict from, long l, NUMBER *restrict to) {
  if (n == OF(WIDE) && width == OF(WIDE)) {
    for (long p = 0; p < k; p++)
      TURNS(2) for (int v = 0; v < 2; v++) ((OF(vector) *)(to + p * width))[v] = ((const OF(vector) *)(from + p * l))[v];
    return;
  }
#define FULL(high) \
  if (n == high && width == high) { \
    for (long p = 0; p < k; p++) \
      TURNS(8) for (int j = 0; j < high; j++) to[p * high + j] = from[p * l + j]; \
    return; \
  }
  FULL(HIGH) FULL(LOW)
#undef FULL
  for (long p = 0; p < k; p++)
    for (long j = 0; j < width; j++) to[p * width + j] = j < n ? from[p * l + j] : 0;
}

// to[p·width + j] = from[j·l + p] for j < n, and 0 for n ≤ j < width: squares of 4 × 4 are transposed in registers
static __attribute__((noinline)) void OF(pack_columns)(long k, long n, long width, const NUMBER *restrict from, long l, NUMBER *restrict to) {
#define AT(j, p) (*(const OF(four) *)(from + (j) * l + p))
#define TO(p) (*(OF(four) *)(to + (p) * width + j))
  long j = 0;
  for (; j + 4 <= n; j += 4) {
    long p = 0;
    for (; p + 4 <= k; p += 4) {
      OF(four) a = AT(j, p), b = AT(j + 1, p), c = AT(j + 2, p), d = AT(j + 3, p);
      OF(four) low = SHUFFLE(a, b, 0, 4, 1, 5), high = SHUFFLE(a, b, 2, 6, 3, 7);
      OF(four) low2 = SHUFFLE(c, d, 0, 4, 1, 5), high2 = SHUFFLE(c, d, 2, 6, 3, 7);
      TO(p) = SHUFFLE(low, low2, 0, 1, 4, 5), TO(p + 1) = SHUFFLE(low, low2, 2, 3, 6, 7);
      TO(p + 2) = SHUFFLE(high, high2, 0, 1, 4, 5), TO(p + 3) = SHUFFLE(high, high2, 2, 3, 6, 7);
    }
    for (; p < k; p++)
      for (int i = 0; i < 4; i++) to[p * width + j + i] = from[(j + i) * l + p];
  }
  for (; j < width; j++)
    for (long p = 0; p < k; p++) to[p * width + j] = j < n ? from[j * l + p] : 0;
#undef AT
#undef TO
}

static void OF(pack)(long k, long n, long width, const NUMBER *from, long next, long below, NUMBER *to) {
  if (next == 1)
    OF(pack_rows)(k, n, width, from, below, to);
  else
    OF(pack_columns)(k, n, width, from, next, to);
}

// tile computes a tile of the result. If the tile has fewer rows or columns than its kernel, the kernel writes to a
// local array, from which the tile is copied.
static void OF(tile)(long k, long high, long rows, long columns, int down, const NUMBER *a, long step, const NUMBER *b, long below, NUMBER *to,
                     long line, int add) {
  NUMBER local[HIGH * OF(WIDE)];
  int two = columns > OF(LONG), full = rows == high && columns == (two ? OF(WIDE) : OF(LONG));
  OF(kernels)[high == HIGH][two][down](k, a, step, b, below, full ? to : local, full ? line : OF(WIDE), full && add);
  if (full) return;
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < columns; j++) to[i * line + j] = add ? to[i * line + j] + local[i * OF(WIDE) + j] : local[i * OF(WIDE) + j];
}

// to[i·line + j] = Σₚ a[i·ai + p·ak] · b[p·bk + j·bj] for i < m, j < n, p < k. One of ai and ak must be 1, and one of
// bk and bj.
static __attribute__((noinline)) void OF(product)(const context *c, long m, long n, long k, const NUMBER *a, long ai, long ak, const NUMBER *b,
                                                  long bk, long bj, NUMBER *to, long line) {
  NUMBER *packed_b = c->work, *packed_a = packed_b + DEEP * OF(COLUMNS);
  long parts = (k + DEEP - 1) / DEEP, deep = (k + parts - 1) / parts;
  int few = m <= FEW && bj == 1, down = ak != 1, in_place = !down || ak <= THIN;
  for (long j0 = 0; j0 < n; j0 += OF(COLUMNS))
    for (long p = 0; p < k; p += deep) {
      long d = least(deep, k - p), columns = least(OF(COLUMNS), n - j0);
      for (long j = few ? columns - columns % OF(WIDE) : 0; j < columns; j += OF(WIDE)) {
        long w = least(OF(WIDE), columns - j);
        OF(pack)(d, w, w > OF(LONG) ? OF(WIDE) : OF(LONG), b + p * bk + (j0 + j) * bj, bj, bk, packed_b + j * d);
      }
      for (long i0 = 0; i0 < m; i0 += ROWS) {
        long rows = least(ROWS, m - i0);
        const NUMBER *x = a + i0 * ai + p * ak;
        for (long i = 0, high; i < rows; i += high) {
          high = height(rows - i);
          if (!in_place || i + high > rows) OF(pack)(d, least(high, rows - i), high, x + i * ai, ai, ak, packed_a + i * d);
        }
        for (long j = 0; j < columns; j += OF(WIDE)) {
          long w = least(OF(WIDE), columns - j), below = w > OF(LONG) ? OF(WIDE) : OF(LONG);
          const NUMBER *y = packed_b + j * d;
          if (few && w == OF(WIDE)) y = b + p * bk + j0 + j, below = bk;
          for (long i = 0, high; i < rows; i += high) {
            high = height(rows - i);
            NUMBER *out = to + (i0 + i) * line + j0 + j;
            if (in_place && i + high <= rows)
              OF(tile)(d, high, high, w, down, x + i * ai, down ? ak : ai, y, below, out, line, p > 0);
            else
              OF(tile)(d, high, least(high, rows - i), w, 1, packed_a + i * d, high, y, below, out, line, p > 0);
          }
        }
      }
    }
}
