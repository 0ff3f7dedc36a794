/** A page that paints nothing, because it is hidden or its frames are held back, goes on by the clock. */
const AT_LATEST_MS = 100;

/** Calls back once, when the frame that is being made was painted. Returns the function that calls it off. */
export function afterPaint(then: () => void): () => void {
  let timer = setTimeout(go, AT_LATEST_MS);
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    // A frame's own callbacks run before it is painted.
    timer = setTimeout(go);
  });
  function go(): void {
    cancelAnimationFrame(frame);
    then();
  }
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
