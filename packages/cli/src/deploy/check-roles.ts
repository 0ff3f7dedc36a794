import { type Finding, fine, problem } from '../doctor/finding.ts';
import type { Shell } from './carry-out.ts';
import { parseAnswer } from './parse-answer.ts';

/** A role that the functions' service account needs, and the wider ones of Google's that hold it. */
interface NeededRole {
  readonly role: string;
  readonly why: string;
  readonly heldBy: readonly string[];
}

/** Each of these may do all that is asked here. */
const ALL = ['roles/owner', 'roles/editor'];

/** By Google's tables of roles; docs/going-live.md, section 5, says the same to a reader. */
export const NEEDED_ROLES: readonly NeededRole[] = [
  {
    role: 'roles/datastore.user',
    why: 'reads and writes records',
    heldBy: ['roles/datastore.owner', 'roles/firebase.admin', 'roles/firebase.developAdmin'],
  },
  {
    role: 'roles/firebaseauth.admin',
    why: 'sets the claim paid, looks at sessions, deletes accounts',
    heldBy: ['roles/firebase.admin', 'roles/firebase.developAdmin', 'roles/firebase.sdkAdminServiceAgent'],
  },
  {
    role: 'roles/serviceusage.serviceUsageConsumer',
    why: 'lets calls to Firebase Authentication count for the project',
    heldBy: ['roles/serviceusage.serviceUsageAdmin'],
  },
  {
    role: 'roles/cloudbuild.builds.builder',
    why: 'builds what is uploaded',
    heldBy: [],
  },
];

/**
 * Which roles the account that the functions run and are built as does not have. Only what the project itself gives is
 * seen: a role may also come from its folder, its organisation or a group, so a finding is to be read, not to refuse by.
 */
export function checkRoles(answer: ReturnType<Shell['ask']>, project: string): readonly Finding[] {
  const found = parseAnswer(answer);
  if (found === null || !('account' in found) || !('roles' in found) || !Array.isArray(found.roles)) {
    const why = answer.stderr.trim().split('\n')[0] || 'no answer';
    return [
      problem(
        `roles: those of the functions' service account cannot be looked at (${why})`,
        'docs/going-live.md, section 5, lists what it needs where it is no Editor.',
      ),
    ];
  }
  const { account } = found;
  const roles: readonly unknown[] = found.roles;
  const missing = NEEDED_ROLES.filter(
    ({ role, heldBy }) => ![role, ...heldBy, ...ALL].some((one) => roles.includes(one)),
  );
  if (missing.length === 0) return [fine(`roles: ${account} has what it needs (${roles.join(', ')})`)];
  return missing.map(({ role, why }) =>
    problem(
      `roles: ${account} has no ${role} in the project, which ${why}`,
      `Unless it comes from a folder, a group or the organisation: gcloud projects add-iam-policy-binding ${project} --member serviceAccount:${account} --role ${role}`,
    ),
  );
}
