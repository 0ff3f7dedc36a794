import type { ControlRoute } from './context.ts';
import { ControlError, onlyFields, optionalBoolean, optionalNumber, optionalString } from './json.ts';

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
