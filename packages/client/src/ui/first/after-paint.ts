/** A page that paints nothing, because it is hidden or its frames are held back, goes on by the clock. */
const AT_LATEST_MS = 100;

/** Calls back when the frame that is being made was painted; again in a page that was hidden until then. */
export function afterPaint(then: () => void): void {
  const timer = setTimeout(then, AT_LATEST_MS);
  requestAnimationFrame(() => {
    clearTimeout(timer);
    // A frame's own callbacks run before it is painted.
    setTimeout(then);
  });
}
