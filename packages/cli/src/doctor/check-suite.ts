import type { Catalog } from '@extension-billing/contract/catalog';
import { readPaidClaim, signUp, writePaidClaim } from '../local/account.ts';
import type { SuiteAddresses } from '../local/suite.ts';
import { type Finding, fine, problem } from './check-settings.ts';

type Emulators = Pick<SuiteAddresses, 'firestoreEmulator' | 'authEmulator' | 'project'>;

const DEPLOY = 'Bring firestore.rules back to the repository’s, then: firebase deploy --only firestore:rules';

/** `checkPublished` of a running suite. */
export async function checkPublishedHere(
  at: Pick<Emulators, 'firestoreEmulator' | 'project'>,
  file: Catalog,
): Promise<Finding> {
  const documents = `http://${at.firestoreEmulator}/v1/projects/${at.project}/databases/(default)/documents`;
  const response = await fetch(`${documents}/billing_catalog/current`, {
    headers: { authorization: 'Bearer owner' },
  });
  if (response.status === 404) return checkPublished(null, file);
  const { fields = {} } = (await response.json()) as {
    readonly fields?: Readonly<
      Record<string, { readonly stringValue?: string; readonly integerValue?: string }>
    >;
  };
  const { version, catalog } = fields;
  return checkPublished({ version: version?.integerValue, catalog: catalog?.stringValue }, file);
}

/**
 * Compares the published catalogue, which the function uses, with the file.
 *
 * @param found the stored document's own fields; null if nothing is published
 */
export function checkPublished(
  found: { readonly version: unknown; readonly catalog: unknown } | null,
  file: Catalog,
): Finding {
  if (found === null) return fine('published: nothing; the file is in force');
  const version = `version ${found.version ?? 'of an unknown form'}`;
  if (found.catalog === JSON.stringify(file)) return fine(`published: ${version}, as the file says`);
  return problem(
    `published: ${version} is in force, and the file says otherwise`,
    '"npx billing catalog push --dry-run" shows where.',
  );
}

/** The rules as a signed-in user meets them: the own record can be read, nobody else's, and nothing written. */
export async function checkRules(at: Emulators): Promise<readonly Finding[]> {
  const { uid, idToken } = await signUp(at);
  const base = `http://${at.firestoreEmulator}/v1/projects/${at.project}/databases/(default)/documents/customers`;
  const ask = async (path: string, method = 'GET'): Promise<number> => {
    const response = await fetch(`${base}/${path}`, {
      method,
      headers: { authorization: `Bearer ${idToken}`, 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: JSON.stringify({ fields: { paid: { booleanValue: true } } }) }),
    });
    return response.status;
  };
  // There is no record of a new user: 404 is what a permitted look at it says.
  const own = await ask(uid);
  const foreign = await ask(`${uid}-other`);
  const write = await ask(uid, 'PATCH');
  const ledger = await ask(`${uid}/credit_ledger/doctor`, 'PATCH');
  return [
    own === 200 || own === 404
      ? fine('rules: a user reads the own record')
      : problem(`rules: a user cannot read the own record (${own})`, DEPLOY),
    foreign === 403
      ? fine('rules: nobody else’s record can be read')
      : problem(`rules: another user’s record can be read (${foreign})`, DEPLOY),
    write === 403 && ledger === 403
      ? fine('rules: a user writes neither record nor ledger')
      : problem(`rules: a user can write the own record or ledger (${write}, ${ledger})`, DEPLOY),
  ];
}

/** That the claim `paid` can be set on a user, and is then there. */
export async function checkClaims(at: Emulators): Promise<Finding> {
  try {
    const { uid } = await signUp(at);
    await writePaidClaim(at, uid, true);
    if ((await readPaidClaim(at, uid)) === true) return fine('claims: can be written');
    return problem('claims: what was written is not there', 'Restart the auth emulator (npm start).');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const todo = 'Deployed, the function’s service account needs the role Firebase Authentication Admin.';
    return problem(`claims: cannot be written (${why})`, todo);
  }
}
