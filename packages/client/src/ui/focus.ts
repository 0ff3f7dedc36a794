import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * What has the focus: in the document or the shadow root that an element stands in, else in the page around it, and in
 * whichever shadow roots can be looked into from there.
 */
export function focusedAround(element: Element | null): Element | null {
  const root = element?.getRootNode();
  let focused = (root instanceof ShadowRoot && root.activeElement) || document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused;
}

/** Marks what takes the focus of a button in it that goes away; it needs `tabIndex={-1}` and a name. */
export const TAKES_FOCUS = { 'data-takes-focus': true, tabIndex: -1 } as const;

/**
 * For a button that goes away once what it asked for has come, such as a change of plan: the focus that it had passes to
 * what it stands in (`TAKES_FOCUS`). Otherwise a keyboard would begin at the top of the page again.
 */
export function useFocusHandover(): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const { current } = button;
    // It is still in the page here, and no more once React is done.
    return () => {
      if (current === null || focusedAround(current) !== current) return;
      const place = current.closest<HTMLElement>('[data-takes-focus]');
      queueMicrotask(() => {
        if (!current.isConnected) place?.focus({ preventScroll: true });
      });
    };
  }, []);
  return button;
}
