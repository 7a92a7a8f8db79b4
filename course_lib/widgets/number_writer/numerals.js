// Whole numbers from 1 to 999,999 in words, as the package num2words has them: the English in words, the German in its
// parts.

const split = (...texts) => texts.join(" ").split(" ");
const EN = split(
  "zero one two three four five six seven eight nine ten eleven twelve thirteen",
  "fourteen fifteen sixteen seventeen eighteen nineteen",
);
const EN_TENS = split("- - twenty thirty forty fifty sixty seventy eighty ninety");
const DE = split(
  "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn",
  "vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
);
const DE_TENS = split("- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig");

const parts = (n, unit) => [Math.floor(n / unit), n % unit];

function englishTens(n) {
  const [tens, ones] = parts(n, 10);
  if (n < 20) return n ? [EN[n]] : [];
  return ones ? [EN_TENS[tens], EN[ones]] : [EN_TENS[tens]];
}
function englishHundreds(n) {
  const [hundreds, rest] = parts(n, 100);
  if (!hundreds) return englishTens(rest);
  return [EN[hundreds], "hundred", ...(rest ? ["and", ...englishTens(rest)] : [])];
}
export function english(n) {
  const [thousands, rest] = parts(n, 1000);
  if (!thousands) return englishHundreds(rest);
  return [...englishHundreds(thousands), "thousand", ...(rest && rest < 100 ? ["and"] : []), ...englishHundreds(rest)];
}

function germanTens(n) {
  const [tens, ones] = parts(n, 10);
  if (n === 1) return ["eins"];
  if (n < 20) return n ? [DE[n]] : [];
  return ones ? [DE[ones], "und", DE_TENS[tens]] : [DE_TENS[tens]];
}
function germanHundreds(n) {
  const [hundreds, rest] = parts(n, 100);
  return [...(hundreds ? [DE[hundreds], "hundert"] : []), ...germanTens(rest)];
}
export function german(n) {
  const [thousands, rest] = parts(n, 1000);
  if (!thousands) return germanHundreds(rest);
  return [...(thousands === 1 ? ["ein"] : germanHundreds(thousands)), "tausend", ...germanHundreds(rest)];
}
