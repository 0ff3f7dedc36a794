import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Catalog } from '@extension-billing/contract/catalog';
import type { Config } from '../config.ts';
import { type MetadataMap, SALE_KEYS, SEAL_KEY } from './fields.ts';
import type { Opened, Seller } from './sale.ts';

// The seal on what this project's checkout and import write into metadata: an HMAC under a key derived from the provider's
// secret key, which the service and the owner's commands both have. docs/decisions/ownership-and-sale.md

/** Of what is sealed; a build that seals another way writes another number. */
const FORM = '1';
const MAC_BYTES = 16;

type Sealed = Readonly<Record<string, string>>;

/** Seals what was sold, and tells what it sealed from what anybody else wrote. */
export interface SaleSeal {
  /**
   * The metadata with its seal.
   *
   * @param object the id of the object that it is written onto, where that exists; otherwise it counts for its price alone
   */
  seal(metadata: Sealed, object?: string): Record<string, string>;
  /** Null for whatever this project did not seal, or not for this object. */
  open(metadata: MetadataMap, object: string): Opened | null;
}

/**
 * @param secrets the first one seals, and all of them open: those that were replaced since come after it. None: nothing is
 *   sealed, and nothing opens.
 */
export function saleSeal(secrets: readonly string[]): SaleSeal {
  const keys = secrets
    .filter((secret) => secret !== '')
    .map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'extension-billing: sale', 32)));
  const [newest] = keys;
  return {
    seal(metadata, object = '') {
      if (newest === undefined) return { ...metadata };
      return { ...metadata, [SEAL_KEY]: `${FORM}.${macOf(newest, metadata, object).toString('base64url')}` };
    },
    open(metadata, object) {
      const [form, text = ''] = String(metadata[SEAL_KEY] ?? '').split('.');
      const mac = Buffer.from(text, 'base64url');
      if (form !== FORM || mac.length !== MAC_BYTES) return null;
      const isOf = (bound: string) => keys.some((key) => timingSafeEqual(mac, macOf(key, metadata, bound)));
      if (isOf('')) return 'for_its_price';
      return object !== '' && isOf(object) ? 'for_the_object' : null;
    },
  };
}

/** Of what this service writes alone: an owner's own keys beside it may change. */
function macOf(key: Uint8Array, metadata: MetadataMap, object: string): Buffer {
  const said = SALE_KEYS.flatMap((name) => (metadata[name] ? [[name, metadata[name]]] : []));
  const text = JSON.stringify([FORM, object, said]);
  return createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES);
}

/** What decides how far metadata is believed. */
export type SaleConfig = Pick<Config, 'project' | 'saleSecrets' | 'sharedAccount'>;

const seals = new WeakMap<readonly string[], SaleSeal>();

/** The seal of a configuration; its keys are derived once. */
export function sealOf({ saleSecrets }: Pick<Config, 'saleSecrets'>): SaleSeal {
  const seal = seals.get(saleSecrets) ?? saleSeal(saleSecrets);
  seals.set(saleSecrets, seal);
  return seal;
}

/** What a service needs to know to tell its own sales from others'. */
export interface SellerDeps {
  readonly config: SaleConfig;
  readonly catalog: () => Catalog;
  /** Whether an import found that others let users write metadata; absent: only the setting says. */
  readonly sharesAccount?: () => boolean;
}

/** This project, and what it sells now. */
export function sellerOf({ config, catalog, sharesAccount }: SellerDeps): Seller {
  const isShared = config.sharedAccount || sharesAccount?.() === true;
  return {
    project: config.project,
    catalog: catalog(),
    ...(isShared && { open: sealOf(config).open }),
  };
}
