import { createContext, useContext } from 'react';
import type { EntitlementSnapshot } from '../snapshot/snapshot.ts';
import type { SurfaceState } from '../ui/surface/surface.tsx';
import type { BillingElement } from './billing-element.ts';

/** What every element of a page goes by. */
export interface ElementsPage {
  readonly state: SurfaceState;
  /** As of now; null while nothing is known, or the server is still to say. */
  readonly snapshot: EntitlementSnapshot | null;
  readonly elements: readonly BillingElement[];
  /** Where somebody is asked to sign in. */
  readonly signsIn: BillingElement | undefined;
}

export const PageContext = createContext<ElementsPage | null>(null);

export function useElementsPage(): ElementsPage {
  const page = useContext(PageContext);
  if (page === null) throw new Error('An element is shown outside of its page.');
  return page;
}
