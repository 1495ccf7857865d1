/* What the sample browser reads: packed scripts beside the page, loaded when they are needed, so that it works from disk and asks no host. */
(() => {
  const { make } = window.truerate;
  const KEPT = 60;   // shards in memory
  const waiting = new Map(), indexes = new Map(), ids = new Map(), shards = new Map(), lists = new Map();

  const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const inflated = async (text) => {
    if (!window.DecompressionStream) throw new Error("this browser cannot open packed data; any browser since 2023 can");
    return new Response(new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
  };
  const json = async (text) => JSON.parse(await (await inflated(text)).text());

  /* A script that hands its data to one of the functions below; it is gone from the page once it ran. */
  const load = (path) => new Promise((done, failed) => {
    const script = make("script", { src: path });
    script.onerror = () => { script.remove(); failed(new Error(`${path} is not there`)); };
    script.onload = () => { script.remove(); waiting.has(path) ? done(waiting.get(path)) : failed(new Error(`${path} is empty`)); waiting.delete(path); };
    document.head.append(script);
  });
  const take = (board, name, packed) => waiting.set(`samples/${board}/${name}.js`, packed);
  window.truerateIndex = (board, packed) => take(board, "index", packed);
  window.truerateIds = (board, packed) => take(board, "ids", packed);
  window.truerateShard = (board, k, packed) => take(board, k, packed);
  window.truerateWords = (board, bucket, packed) => take(board, `words/${bucket}`, packed);

  /* Each file once: who asks again meanwhile waits for the same; what failed may be asked for again. */
  const once = (store, key, make) => {
    if (!store.has(key)) store.set(key, make().catch((error) => { store.delete(key); throw error; }));
    return store.get(key);
  };
  const read = (board, name) => load(`samples/${board}/${name}.js`);
  const store = {
    index: (board) => once(indexes, board, async () => json(await read(board, "index"))),
    ids: (board) => once(ids, board, async () => json(await read(board, "ids"))),
    words: (board, bucket) => once(lists, `${board}/${bucket}`, async () => Promise.all(
      (await read(board, `words/${bucket}`)).map(async (part) => new Uint8Array(await (await inflated(part)).arrayBuffer())))),
    shard: (board, k) => {
      const key = `${board}/${k}`, found = once(shards, key, async () => json(await read(board, k)));
      shards.delete(key);
      shards.set(key, found);   // the one used last stands last
      if (shards.size > KEPT) shards.delete(shards.keys().next().value);
      return found;
    },
    record: async (board, index, i) => (await store.shard(board, Math.floor(i / index.shard)))[i % index.shard],
  };
  window.truerate.store = store;
})();
