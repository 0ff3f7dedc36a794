/**
 * Stands in for Firestore's bloom filters (4 kB gzipped), with which a listener on a large query avoids asking for all
 * of it again after a gap. The listener here is on one document: when a filter cannot be made, the SDK says so in its
 * log and asks again for that document (`applyBloomFilter`, firebase 12.19.0), which is what it should do here anyway.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: the SDK calls `new` on it when its module is loaded
export class Integer {
  static fromNumber(): never {
    throw new Error('Bloom filters are left out of this bundle.');
  }
  static fromString(): never {
    throw new Error('Numeric document ids are left out of this bundle.');
  }
}

export class Md5 {}
