const SENTENCES = 3;
const WORD = /\p{L}{4,}/gu;

/** The three sentences that hold most of what a text is about, in its own order: those of its most frequent words. */
export function summarise(text: string): string {
  const sentences = [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)]
    .map(({ segment }) => segment.trim())
    .filter((sentence) => wordsOf(sentence).length > 2);
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weight = (sentence: string): number => {
    const words = wordsOf(sentence);
    return words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0) / words.length;
  };
  const chosen = new Set(sentences.toSorted((a, b) => weight(b) - weight(a)).slice(0, SENTENCES));
  return sentences.filter((sentence) => chosen.has(sentence)).join(' ');
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}
