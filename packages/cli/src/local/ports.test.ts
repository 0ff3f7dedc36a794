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

test('an offset skips the ports that browsers block, and no two parts meet there', () => {
  const at = (offset: string) => readPorts({ BILLING_PORT_OFFSET: offset });
  expect(at('2000').firestore).toBe(10_081);
  // 5060 and 5061 are blocked both, and what they move to may be another part's.
  expect(at('5')).toMatchObject({ direct: 5062, returnPages: 5063 });
  for (let offset = 0; offset <= 50_000; offset += 1)
    expect(new Set(Object.values(at(`${offset}`))).size).toBe(8);
  expect(() => readPorts({ BILLING_HUB_PORT: '6000' })).toThrow(
    'BILLING_HUB_PORT is 6000, which browsers block',
  );
});

test.each(['0', '65536', '80.5', 'x', '-1', '0x50', ' 80'])('"%s" is refused as a port', (value) => {
  expect(() => readPorts({ BILLING_HUB_PORT: value })).toThrow(/^BILLING_HUB_PORT must be a whole number/);
});

test('two parts on one port are refused, naming both variables', () => {
  expect(() => readPorts({ BILLING_AUTH_PORT: '8080' })).toThrow(
    'BILLING_AUTH_PORT and BILLING_FIRESTORE_PORT are both 8080',
  );
});
