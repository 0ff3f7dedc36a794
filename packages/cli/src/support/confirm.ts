import { createInterface } from 'node:readline/promises';

/** Asks whoever sits there; nobody means no. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    console.log(`${question} Nobody is here to ask: say --yes.`);
    return false;
  }
  const asked = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asked.question(`${question} [y/N] `);
  asked.close();
  return /^y(?:es)?$/i.test(answer.trim());
}
