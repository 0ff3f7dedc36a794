/** Name, code and place of an error. Its message may quote a request, so it is left out. */
export function describeError(error: unknown) {
  if (!(error instanceof Error)) return { error: typeof error };
  const [, ...frames] = (error.stack ?? '').split('\n    at ');
  return {
    error: error.name,
    ...('code' in error && { code: error.code }),
    at: frames.slice(0, 5),
  };
}
