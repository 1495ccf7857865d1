/* Free text: the words of a query, looked up in the lists of truerate.site.samples.word_index, whose rules these are. */
(() => {
  const { store } = window.truerate;
  const BASE = 0x9E3779B97F4A7C15n, MIXER = 0xD6E8FEB86659FD93n, LONGEST = 32, LAST = 0x32400;
  const SKIPPED = /[\p{Mn}\p{Cf}\u0640]/gu, LETTER = /[\p{L}\p{N}\p{Mc}]/u;
  const cut = (number) => BigInt.asUintN(64, number);

  const folded = (text) => text.normalize("NFKC").toLowerCase().replace(SKIPPED, "");
  /* The words of a text: runs of letters and digits; where no blanks part words, pairs of neighbours. */
  const wordsOf = (text, dense) => {
    const runs = [];
    let kind = "";
    for (const letter of folded(text)) {
      const code = letter.codePointAt(0);
      const now = code >= LAST || !LETTER.test(letter) ? "" : dense.some(([first, last]) => code >= first && code <= last) ? "dense" : "word";
      if (now && now === kind) runs.at(-1).letters.push(letter); else if (now) runs.push({ kind: now, letters: [letter] });
      kind = now;
    }
    return runs.flatMap(({ kind: one, letters }) => (one === "word" ? [letters.slice(0, LONGEST).join("")]
      : letters.length < 2 ? letters : letters.slice(1).map((letter, i) => letters[i] + letter)));
  };
  const hash = (word) => {
    let found = 0n, power = 1n;
    for (const letter of word) { found = cut(found + BigInt(letter.codePointAt(0)) * power); power = cut(power * BASE); }
    return Number(cut((found ^ (found >> 32n)) * MIXER) >> 32n);
  };

  /* Numbers of a list one after the other: seven bits a byte, the lowest first, a set high bit where more follow. */
  const reader = (bytes) => {
    let at = 4;
    return () => {
      let number = 0, weight = 1, byte = 128;
      while (byte > 127) { byte = bytes[at]; at += 1; number += (byte & 127) * weight; weight *= 128; }
      return number;
    };
  };
  /* Mark the records of one part that have the word: hashes as steps, how many records have each, and these. */
  const mark = (bytes, wanted, first, mask) => {
    const n = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24, next = reader(bytes);
    let place = -1, before = 0, count = 0, number = 0;
    for (let i = 0; i < n; i += 1) { number += next(); if (number === wanted) place = i; }
    if (place < 0) return;
    for (let i = 0; i < n; i += 1) { const of = next(); if (i < place) before += of; else if (i === place) count = of; }
    for (; before; before -= 1) next();
    number = first - 1;
    for (; count; count -= 1) { number += next(); mask[number] = 1; }
  };

  /* One byte per record: whether it has all words of the query; null where the query has none. */
  const find = async (board, index, query) => {
    const words = [...new Set(wordsOf(query, index.dense))];
    if (!words.length) return null;
    const masks = await Promise.all(words.map(async (word) => {
      const wanted = hash(word), mask = new Uint8Array(index.n);
      const parts = await store.words(board, Math.floor(wanted / 2 ** 32 * index.buckets));
      parts.forEach((bytes, part) => mark(bytes, wanted, part * index.part, mask));
      return mask;
    }));
    const [first, ...others] = masks;
    for (const other of others) for (let i = 0; i < first.length; i += 1) first[i] &= other[i];
    return first;
  };
  /* What to light up of a query in a text. */
  const pattern = (query, index) => {
    const escaped = (letter) => letter.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
    const words = [...new Set(wordsOf(query, index.dense))].sort((a, b) => b.length - a.length);
    if (!words.length) return null;
    const within = "[\\p{Mn}\\p{Cf}\\u0640]*", edge = "[\\p{L}\\p{N}\\p{Mc}]";
    const isDense = (word) => index.dense.some(([first, last]) => word.codePointAt(0) >= first && word.codePointAt(0) <= last);
    const spelled = words.map((word) => ({ word, text: [...word].map(escaped).join(within) }));
    const parts = spelled.map(({ word, text }) => (isDense(word) ? text : `(?<!${edge})${text}(?!${edge})`));
    return new RegExp(`(${parts.join("|")})`, "giu");
  };
  window.truerate.search = { find, pattern, wordsOf, hash };
})();
