import { expect, test } from 'vitest';
import { describePort, PORT_NAMES, readPorts } from './ports.ts';

test('the usual ports are those that the documents name', () => {
  expect(readPorts({})).toEqual({
    auth: 9099,
    functions: 5001,
    firestore: 8080,
    simulator: 4242,
    direct: 5055,
    returnPages: 5056,
    hub: 4400,
    logging: 4500,
  });
});

test.each(PORT_NAMES)('%s can be moved by its own variable', (name) => {
  expect(readPorts({ [describePort(name).variable]: '12345' })[name]).toBe(12345);
});

test('BILLING_PORT_OFFSET moves all but those that are set', () => {
  const ports = readPorts({ BILLING_PORT_OFFSET: '100', BILLING_AUTH_PORT: '9000' });
  expect([ports.auth, ports.functions, ports.returnPages]).toEqual([9000, 5101, 5156]);
});

test.each(['0', '65536', '80.5', 'x', '-1', '0x50', ' 80'])('"%s" is refused as a port', (value) => {
  expect(() => readPorts({ BILLING_HUB_PORT: value })).toThrow(/^BILLING_HUB_PORT must be a whole number/);
});

test('two parts on one port are refused, naming both variables', () => {
  expect(() => readPorts({ BILLING_AUTH_PORT: '8080' })).toThrow(
    'BILLING_AUTH_PORT and BILLING_FIRESTORE_PORT are both 8080',
  );
});
