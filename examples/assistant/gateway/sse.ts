/** One event of a stream of server-sent events. */
export interface SseEvent {
  /** What its `event:` line says; `message` without one. */
  readonly name: string;
  readonly data: string;
}

/** Characters of one event: far more than a token's worth. What does not end is no stream of ours. */
const MAX_EVENT = 1_048_576;

/**
 * Reads server-sent events from bytes that may be cut anywhere, inside a character or between CR and LF too
 * (html.spec.whatwg.org, "Parsing an event stream"). An event that its stream does not finish is dropped.
 *
 * @returns what takes the next bytes and gives the events that they complete
 */
export function sseReader(): (bytes: Uint8Array) => readonly SseEvent[] {
  const decoder = new TextDecoder();
  let line = '';
  let endedWithCr = false;
  let name = '';
  let data: string[] = [];
  let size = 0;

  const takeLine = (): SseEvent | null => {
    const taken = line;
    line = '';
    if (taken === '') {
      const event = data.length === 0 ? null : { name: name || 'message', data: data.join('\n') };
      [name, data, size] = ['', [], 0];
      return event;
    }
    const colon = taken.indexOf(':');
    const field = colon === -1 ? taken : taken.slice(0, colon);
    const value = colon === -1 ? '' : taken.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') name = value;
    return null;
  };

  return (bytes) => {
    const events: SseEvent[] = [];
    let rest = decoder.decode(bytes, { stream: true });
    if (endedWithCr && rest !== '') {
      if (rest.startsWith('\n')) rest = rest.slice(1);
      endedWithCr = false;
    }
    for (let end = rest.search(/[\r\n]/); end !== -1; end = rest.search(/[\r\n]/)) {
      line += rest.slice(0, end);
      size += end;
      const isCrLf = rest.startsWith('\r\n', end);
      endedWithCr = rest[end] === '\r' && end + 1 === rest.length;
      rest = rest.slice(end + (isCrLf ? 2 : 1));
      const event = takeLine();
      if (event !== null) events.push(event);
    }
    line += rest;
    size += rest.length;
    if (size > MAX_EVENT) throw new RangeError(`An event has more than ${MAX_EVENT} characters.`);
    return events;
  };
}

/** An event as it is sent. */
export function writeEvent(data: string, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`;
}
