import { createRequire } from 'node:module';
import { expect, it } from 'vitest';

// The test first checks that the patch is still needed. If that fails, the patch can go.

const require = createRequire(import.meta.url);

it('its auth emulator, by itself, checks each schema of Google’s API before it compiles it', async () => {
  const exegesis = require.resolve('exegesis', { paths: [require.resolve('firebase-tools')] });
  const Ajv = require(require.resolve('ajv/dist/core', { paths: [exegesis] })).default;
  const { compileApi } = require(exegesis);
  const schemas = { A: { type: 'string' }, B: { type: 'integer' } };
  const paths = Object.fromEntries(
    Object.values(schemas).map((schema, index) => [
      `/${index}`,
      {
        get: {
          operationId: `get${index}`,
          parameters: [{ name: 'a', in: 'query', schema }],
          responses: { default: { description: '' } },
        },
      },
    ]),
  );
  const checked = async () => {
    const { validateSchema } = Ajv.prototype;
    let checks = 0;
    Ajv.prototype.validateSchema = function (...about: unknown[]) {
      // With its patch in place nothing of it is left but a yes.
      if (validateSchema.length > 0) checks += 1;
      return validateSchema.apply(this, about);
    };
    try {
      await compileApi({ openapi: '3.0.1', info: { title: '', version: '1' }, paths }, { controllers: {} });
    } finally {
      Ajv.prototype.validateSchema = validateSchema;
    }
    return checks;
  };
  expect(await checked()).toBeGreaterThanOrEqual(Object.keys(schemas).length);
  require('./skip-schema-check.cjs');
  expect(await checked()).toBe(0);
});
