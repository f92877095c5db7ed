// Loading the program: it is fetched compressed, unpacked, and kept in a cache under its digest, so that a browser pays
// for it once, and has it without a network. There are two compressed files, since not all browsers unpack brotli.

function unpacker(name) {
  try {
    return new DecompressionStream(name);
  } catch {
    return null;
  }
}

async function fetched({ digest }, progress) {
  const brotli = unpacker("brotli");
  const name = brotli ? "ppl.wasm.br.bin" : "ppl.wasm.gz.bin";
  const response = await fetch(`${name}?${digest}`);
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  let loaded = 0;
  const counted = new TransformStream({
    transform(chunk, out) {
      loaded += chunk.length;
      progress(loaded);
      out.enqueue(chunk);
    },
  });
  const bytes = response.body.pipeThrough(counted).pipeThrough(brotli ?? unpacker("gzip"));
  return new Response(bytes, { headers: { "Content-Type": "application/wasm" } });
}

export async function loadProgram(program, progress) {
  if (!globalThis.caches) return WebAssembly.compileStreaming(await fetched(program, progress)); // not a secure origin
  const cache = await caches.open("ppl-program");
  const key = `ppl.wasm?${program.digest}`;
  let response = await cache.match(key);
  if (!response) {
    for (const old of await cache.keys()) await cache.delete(old);
    await cache.put(key, await fetched(program, progress));
    response = await cache.match(key);
  }
  return WebAssembly.compileStreaming(response);
}
