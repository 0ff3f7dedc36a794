/** The simulator's control routes that the browser tests use (simulator/README.md). */
export function simulatorControls(provider: string) {
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${provider}/_sim/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`The simulator refused ${path}: ${await response.text()}`);
  };
  return {
    /** Back to an empty account and the real time: tests before this one moved the clock. */
    reset: () => post('reset', {}),
    /** Moves the clock, and settles when everything due is billed and delivered. */
    async advanceDays(days: number): Promise<void> {
      await post('clock/advance', { days });
      await post('flush', {});
    },
  };
}
