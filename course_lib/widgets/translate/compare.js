// A translation against the reference, word by word: which words have to be changed, dropped or put in, at the least.

/**
 * The cheapest way from `words` to `reference`, each change, drop or insertion costing 1 (Levenshtein's distance).
 * Gives { wrong: [true where a word is to be changed or dropped], missing: [how many words are to be put in before word
 * i; the last entry: behind all], errors: the distance }.
 */
export function compare(words, reference) {
  const n = words.length;
  const k = reference.length;
  const cost = Array.from({ length: n + 1 }, (_, i) => Array.from({ length: k + 1 }, (_, j) => (i ? (j ? 0 : i) : j)));
  const same = (i, j) => Number(words[i - 1] !== reference[j - 1]);
  for (let i = 1; i <= n; i++) {
    for (let j = 1; j <= k; j++)
      cost[i][j] = Math.min(cost[i - 1][j - 1] + same(i, j), cost[i - 1][j] + 1, cost[i][j - 1] + 1);
  }
  const wrong = Array(n).fill(false);
  const missing = Array(n + 1).fill(0);
  for (let i = n, j = k; i || j; ) {
    if (i && j && cost[i][j] === cost[i - 1][j - 1] + same(i, j)) {
      wrong[i - 1] = same(i, j) === 1;
      i--;
      j--;
    } else if (i && cost[i][j] === cost[i - 1][j] + 1) wrong[--i] = true;
    else {
      missing[i]++;
      j--;
    }
  }
  return { wrong, missing, errors: cost[n][k] };
}

/**
 * The same after the first `at` words: { wrong, missing } in numbers; what is missing behind them counts when all are
 * said.
 */
export function counted({ wrong, missing }, at, all) {
  const sum = (list) => list.reduce((total, each) => total + Number(each), 0);
  return { wrong: sum(wrong.slice(0, at)), missing: sum(missing.slice(0, all ? undefined : at)) };
}
