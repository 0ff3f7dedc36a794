/**
 * The id of an extension: 32 letters in Chromium; in Firefox what its manifest names, in the form of a mail address or
 * of a uuid in braces.
 */
export const EXTENSION_ID =
  /^(?:[a-p]{32}|[\w.-]*@[\w.-]+|\{[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}\})$/;

export function isFirefoxId(id: string): boolean {
  return EXTENSION_ID.test(id) && /[@{]/.test(id);
}
