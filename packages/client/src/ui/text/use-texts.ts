import { useEffect, useSyncExternalStore } from 'react';
import { builtInTexts, onTextsChanged, textsLoaded } from './texts.ts';

/** Brings the texts of the user's language, and renders again when they come after the first render. */
export function useTexts(): void {
  useSyncExternalStore(onTextsChanged, builtInTexts);
  useEffect(() => void textsLoaded(), []);
}
