import type { Scene } from './scene.ts';

/** Says what it was asked, about a token a piece, and counts as a model might. */
export function echo(body: Readonly<Record<string, unknown>>): Scene {
  const asked = JSON.stringify(body.messages ?? body.contents ?? '');
  const words = `You sent ${asked.length} characters, and no model has read them: this is the stand-in upstream. `;
  const text = words.repeat(3).match(/\S+\s*/g) ?? [];
  const input = Math.ceil(asked.length / 4);
  return { text, usage: { input, cached: 0, output: text.length, reasoning: 0 } };
}
