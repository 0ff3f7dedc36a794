import { describe, expect, it } from 'vitest';
import { claimantOf, normaliseEmail, type TokenClaims } from './identity.ts';

const claimant = (claims: Partial<TokenClaims>) => claimantOf({ uid: 'ada', ...claims });
const hashOf = (claims: Partial<TokenClaims>) => {
  const found = claimant(claims);
  return found.kind === 'identity' ? found.hash : found.kind;
};

describe('one mailbox', () => {
  it.each([
    ['Ada@Example.com', 'ada@example.com'],
    [' ada@example.com ', 'ada@example.com'],
    ['ada+billing@example.com', 'ada@example.com'],
    ['ada+a+b@example.com', 'ada@example.com'],
    ['a.d.a@gmail.com', 'ada@gmail.com'],
    ['A.da+x@GoogleMail.com', 'ada@gmail.com'],
    ['a.da@example.com', 'a.da@example.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['"ada@home"@example.com', '"ada@home"@example.com'],
    ['+49@example.com', '+49@example.com'],
    ['no address', 'no address'],
    ['@example.com', '@example.com'],
  ])('%s is %s', (typed, one) => {
    expect(normaliseEmail(typed)).toBe(one);
    expect(normaliseEmail(one), 'and stays so').toBe(one);
  });
});

describe('who asks for free credits', () => {
  it('is known by the e-mail address, whichever account it signs in to', () => {
    expect(hashOf({ uid: 'first', email: 'ada@example.com' })).toBe(
      hashOf({ uid: 'second', email: 'Ada+2@example.com', email_verified: true }),
    );
    expect(hashOf({ email: 'ada@example.com' })).toMatch(/^[0-9a-f]{64}$/);
    expect(hashOf({ email: 'ada@example.com' })).not.toBe(hashOf({ email: 'eve@example.com' }));
  });

  it('has shown that the address is theirs, or has not', () => {
    expect(claimant({ email: 'ada@example.com', email_verified: true })).toMatchObject({ isVerified: true });
    expect(claimant({ email: 'ada@example.com', email_verified: false })).toMatchObject({
      isVerified: false,
    });
    expect(claimant({ email: 'ada@example.com' })).toMatchObject({ isVerified: false });
  });

  it('is nobody as a guest, and somebody once an address was added, whatever the session says', () => {
    const firebase = { sign_in_provider: 'anonymous', identities: {} };
    expect(claimant({ firebase })).toEqual({ kind: 'guest' });
    expect(hashOf({ firebase, email: 'ada@example.com' })).toBe(hashOf({ email: 'ada@example.com' }));
  });

  it('is known by what else they sign in with, and by the uid behind a custom token', () => {
    const github = (id: string) => ({
      firebase: { sign_in_provider: 'github.com', identities: { 'github.com': [id] } },
    });
    expect(hashOf({ uid: 'first', ...github('17') })).toBe(hashOf({ uid: 'second', ...github('17') }));
    expect(hashOf(github('17'))).not.toBe(hashOf(github('18')));
    expect(hashOf({ uid: 'first', phone_number: '+491701234567' })).toBe(
      hashOf({ uid: 'second', phone_number: '+491701234567' }),
    );
    const firebase = { sign_in_provider: 'custom', identities: {} };
    expect(hashOf({ uid: 'first', firebase })).not.toBe(hashOf({ uid: 'second', firebase }));
    expect(claimant({ firebase })).toMatchObject({ isVerified: true });
  });
});
