const SENTENCES = 3;
/** Sentences with fewer words are headings, buttons and the like. */
const LEAST_WORDS = 3;
/** Shorter words say little, in scripts that have spaces. Others write a word in one or two characters. */
const LEAST_LETTERS = 4;
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The sentences of a text that a summary can be made of. None: there is nothing to sell. */
export function sentencesOf(text: string): readonly string[] {
  return [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => wordsOf(sentence).length >= LEAST_WORDS);
}

/** The three sentences that hold most of what a text is about, in its own order: those of its most frequent words. */
export function summarise(sentences: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of sentences.flatMap(wordsOf)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weight = (sentence: string): number => {
    const words = wordsOf(sentence);
    return words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0) / words.length;
  };
  const chosen = new Set(sentences.toSorted((a, b) => weight(b) - weight(a)).slice(0, SENTENCES));
  return sentences.filter((sentence) => chosen.has(sentence)).join(' ');
}

function wordsOf(text: string): readonly string[] {
  return [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text.toLowerCase())]
    .filter(
      ({ segment, isWordLike }) =>
        isWordLike && (segment.length >= LEAST_LETTERS || WITHOUT_SPACES.test(segment)),
    )
    .map(({ segment }) => segment);
}
