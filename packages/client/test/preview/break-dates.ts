/** Run in the page: every date throws, as what no Date can hold does, until `areDatesBroken` is false. */
export function breakDates(): void {
  const { prototype } = Intl.DateTimeFormat;
  const whole = Object.getOwnPropertyDescriptor(prototype, 'format');
  Object.assign(globalThis, { areDatesBroken: true });
  Object.defineProperty(prototype, 'format', {
    get() {
      if (Reflect.get(globalThis, 'areDatesBroken')) throw new RangeError('Invalid time value');
      return whole?.get?.call(this);
    },
  });
}

/** Run in the page: what it sends to the worker as it becomes visible. */
export async function wakes(): Promise<readonly string[]> {
  const sent: string[] = [];
  const { askBackground } = chrome as unknown as { askBackground: (message: object) => Promise<unknown> };
  Object.assign(chrome, {
    askBackground: (message: { type: string }) => {
      sent.push(message.type);
      return askBackground(message);
    },
  });
  document.dispatchEvent(new Event('visibilitychange'));
  Object.assign(chrome, { askBackground });
  return sent;
}
