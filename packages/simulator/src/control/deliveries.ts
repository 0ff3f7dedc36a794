import { settle } from '../clocks/settle.ts';
import { DELIVERY_ORDERS, type DeliveryMode } from '../webhooks/delivery.ts';
import {
  ControlError,
  type ControlRoute,
  type JsonObject,
  onlyFields,
  optionalBoolean,
  optionalNumber,
  optionalString,
} from './route.ts';

function orderOf(body: JsonObject): DeliveryMode['order'] | undefined {
  const named = optionalString(body, 'order');
  if (named === undefined) return undefined;
  const order = DELIVERY_ORDERS.find((known) => known === named);
  if (order === undefined)
    throw new ControlError(400, `"order" must be one of ${DELIVERY_ORDERS.join(', ')}.`);
  return order;
}

function dropOf(body: JsonObject): boolean | number | undefined {
  const { drop } = body;
  if (typeof drop === 'number' && (drop < 0 || drop > 1))
    throw new ControlError(400, '"drop" is a share from 0 to 1.');
  return typeof drop === 'number' ? drop : optionalBoolean(body, 'drop');
}

function positive(body: JsonObject, name: string, least: number): number | undefined {
  const value = optionalNumber(body, name);
  if (value !== undefined && (!Number.isInteger(value) || value < least))
    throw new ControlError(400, `"${name}" must be a whole number, at least ${least}.`);
  return value;
}

function modeOf(body: JsonObject): Partial<DeliveryMode> {
  onlyFields(body, ['order', 'seed', 'copies', 'hold', 'drop', 'maxAttempts', 'retryDelayMs']);
  const change = {
    order: orderOf(body),
    seed: optionalNumber(body, 'seed'),
    copies: positive(body, 'copies', 1),
    hold: optionalBoolean(body, 'hold'),
    drop: dropOf(body),
    maxAttempts: positive(body, 'maxAttempts', 1),
    retryDelayMs: positive(body, 'retryDelayMs', 0),
  };
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

/** An answer that begins at once and does not end: what was begun with it ends when its reader goes, however that is. */
function whileOpen(begin: () => () => void): Response {
  let end = (): void => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      end = begin();
      controller.enqueue(new TextEncoder().encode('{"ok":true}\n'));
    },
    cancel: () => end(),
  });
  return new Response(body, {
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
  });
}

export const deliveryRoutes: ControlRoute[] = [
  {
    method: 'GET',
    path: '/deliveries',
    handle: ({ dispatcher }) => dispatcher.deliveries().map(({ payload: _payload, ...shown }) => shown),
  },
  { method: 'GET', path: '/delivery', handle: ({ dispatcher }) => dispatcher.currentMode() },
  { method: 'POST', path: '/delivery', handle: ({ dispatcher }, body) => dispatcher.setMode(modeOf(body)) },
  {
    method: 'POST',
    path: '/hold',
    handle: ({ dispatcher }, body) => {
      onlyFields(body, []);
      return whileOpen(() => dispatcher.hold());
    },
  },
  {
    method: 'POST',
    path: '/flush',
    handle: ({ world, dispatcher }, body) => {
      onlyFields(body, []);
      settle(world, null, world.clock.now());
      return dispatcher.flush();
    },
  },
  {
    method: 'POST',
    path: '/resend',
    handle: ({ world, dispatcher }, body) => {
      onlyFields(body, ['event', 'type', 'last']);
      const id = optionalString(body, 'event');
      const type = optionalString(body, 'type');
      const events = world.tables.events.newestFirst();
      const event = events.find((row) => (id === undefined ? row.type === type : row.id === id));
      if (event === undefined) throw new ControlError(404, `There is no event ${id ?? `of type ${type}`}.`);
      return { event: event.id, endpoints: dispatcher.resend(event) };
    },
  },
];

export const faultRoutes: ControlRoute[] = [
  {
    method: 'POST',
    path: '/fault',
    handle: ({ faults }, body) => {
      onlyFields(body, ['method', 'path', 'status', 'times', 'afterwards', 'clear']);
      if (optionalBoolean(body, 'clear') === true) {
        faults.clear();
        return { ok: true };
      }
      const { status } = body;
      const isStatus =
        typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599;
      if (!isStatus && status !== 'reset')
        throw new ControlError(400, '"status" must be 400–599, or "reset".');
      faults.add({
        method: optionalString(body, 'method') ?? null,
        path: optionalString(body, 'path') ?? null,
        status,
        times: optionalNumber(body, 'times') ?? 1,
        afterwards: optionalBoolean(body, 'afterwards') ?? false,
      });
      return { ok: true };
    },
  },
];
