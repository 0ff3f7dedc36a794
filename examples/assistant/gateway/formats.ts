import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { openai } from './openai.ts';
import type { Format } from './usage.ts';

export type FormatName = 'openai' | 'anthropic' | 'gemini';

/** Every wire format that an upstream may speak. */
export const FORMATS: Readonly<Record<FormatName, Format>> = { openai, anthropic, gemini };
