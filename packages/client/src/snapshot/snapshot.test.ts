import { expect, it } from 'vitest';
import { snapshotPlace } from './snapshot.ts';

const world = (inIncognitoContext: boolean, incognito?: string) =>
  ({
    extension: { inIncognitoContext },
    runtime: { getManifest: () => ({ ...(incognito && { incognito }) }) },
  }) as unknown as typeof chrome;

it('keeps the snapshot of a split extension’s incognito half apart, and off the disk', () => {
  expect(snapshotPlace(world(true, 'split'))).toEqual({ areaName: 'session', key: 'entitlementsIncognito' });
});

it('has one place for all where one worker serves both, and outside of extensions', () => {
  const shared = { areaName: 'local', key: 'entitlements' };
  for (const browser of [world(false, 'split'), world(true), world(true, 'spanning'), {}]) {
    expect(snapshotPlace(browser)).toEqual(shared);
  }
});
