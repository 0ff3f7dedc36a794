import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, fine, problem } from '../doctor/finding.ts';

/** The project to deploy to: the one that is named, else the default that `firebase use --add` wrote. */
export function findProject(root: string, named: string | undefined): string | undefined {
  if (named !== undefined) return named;
  const file = join(root, '.firebaserc');
  if (!existsSync(file)) return undefined;
  const { projects }: { projects?: { default?: string } } = JSON.parse(readFileSync(file, 'utf8'));
  return projects?.default;
}

/** A project that can be deployed to. `demo-` projects exist in the emulators only (Firebase). */
export function checkProject(project: string | undefined): Finding {
  if (project === undefined || project === '') {
    return problem(
      'project: none is named',
      'npm run deploy -- --project <id>, or choose a default: firebase use --add',
    );
  }
  if (!/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/.test(project)) {
    return problem(
      `project: "${project}" cannot be a project id`,
      'firebase projects:list shows yours: 6 to 30 small letters, digits and "-".',
    );
  }
  if (project.startsWith('demo-')) {
    return problem(
      `project: ${project} exists in the emulators only`,
      'Name a real one: npm run deploy -- --project <id>',
    );
  }
  return fine(`project: ${project}`);
}
