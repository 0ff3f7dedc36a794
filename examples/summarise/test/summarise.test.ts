import { expect, it } from 'vitest';
import { sentencesOf, summarise } from '../src/summarise.ts';

it.each([
  ['an empty page', ''],
  ['a page of buttons', 'OK. Go on.'],
  ['a page of pictures', ' \n '],
])('has nothing to sell for %s', (_what, text) => {
  expect(sentencesOf(text)).toEqual([]);
});

it.each([
  [
    'English',
    'Summaries save time. The weather is fine today, apparently. Summaries keep what matters. Readers like short summaries that save time. Somewhere else nothing much happened.',
    3,
  ],
  ['Japanese', '要約は読む時間を節約します。今日は天気がとても良いです。', 2],
  ['Chinese', '摘要可以节省阅读时间。今天的天气非常好。', 2],
])('summarises a text in %s', (_language, text, count) => {
  const sentences = sentencesOf(text);
  expect(sentences.length).toBeGreaterThanOrEqual(count);
  const summary = summarise(sentences);
  expect(sentencesOf(summary)).toHaveLength(count);
  expect(sentences.filter((sentence) => summary.includes(sentence))).toHaveLength(count);
});
