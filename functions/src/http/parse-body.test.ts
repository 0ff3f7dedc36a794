import { expect, it } from 'vitest';
import { InvalidRequest } from './answer.ts';
import { parseBody, parseNoFields } from './parse-body.ts';
import { ReserveBody } from './requests.ts';

it.each([[[]], [['demo']], ['demo'], [7], [true], [null]])('%j is not taken for a body', (body) => {
  const refusal = new InvalidRequest('The body must be a JSON object.');
  expect(() => parseNoFields(body)).toThrow(refusal);
  expect(() => parseBody(ReserveBody, body)).toThrow(refusal);
});

it('a body without fields is one where none are taken', () => {
  expect(() => parseNoFields({})).not.toThrow();
});
