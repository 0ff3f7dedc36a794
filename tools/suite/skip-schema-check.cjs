// Loaded into firebase-tools (node --require). Its auth emulator checks each of the several hundred JSON schemas
// of Google's API against the JSON Schema meta-schema, which it compiles anew for each: 8 of the 11 seconds of
// CPU that a start takes. The schemas ship with firebase-tools and never change, so the check is left out; what
// requests are held to stays. Where the shape of things is another one, nothing is changed.
try {
  const exegesis = require.resolve('exegesis', { paths: [require.resolve('firebase-tools')] });
  const core = require(require.resolve('ajv/dist/core', { paths: [exegesis] }));
  if (typeof core.default?.prototype?.validateSchema === 'function') {
    core.default.prototype.validateSchema = () => true;
  }
} catch {
  // Slower, not broken.
}
