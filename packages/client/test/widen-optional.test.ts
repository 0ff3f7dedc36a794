import { expect, it } from 'vitest';
import { widenOptional } from '../build/widen-optional.ts';

it('opens optional properties to undefined, and changes nothing else', () => {
  expect(
    widenOptional('export interface A { readonly a?: string; b: number; c?: string | undefined; }'),
  ).toBe('export interface A { readonly a?: string | undefined; b: number; c?: string | undefined; }');
  expect(widenOptional('export type F = { on?: (a?: string) => void };')).toBe(
    'export type F = { on?: ((a?: string) => void) | undefined };',
  );
  expect(widenOptional('export type N = { a?: { b?: number; c: 1 }; d?: "x" };')).toBe(
    'export type N = { a?: { b?: number | undefined; c: 1 } | undefined; d?: "x" | undefined };',
  );
  expect(widenOptional('export type M = { readonly [K in "a"]?: () => K };')).toBe(
    'export type M = { readonly [K in "a"]?: (() => K) | undefined };',
  );
  expect(widenOptional('export declare class C { a?: string; b: number; }')).toBe(
    'export declare class C { a?: string | undefined; b: number; }',
  );
});
