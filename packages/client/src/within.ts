/** The promise's value, or `fallback` when it takes longer than `ms`. For services that may hang for ever. */
export function within<T, F>(ms: number, promise: Promise<T>, fallback: F): Promise<T | F> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expiry = new Promise<F>((resolve) => {
    timer = setTimeout(() => resolve(fallback), ms);
  });
  return Promise.race([promise, expiry]).finally(() => clearTimeout(timer));
}
