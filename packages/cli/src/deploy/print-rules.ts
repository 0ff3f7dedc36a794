// The Firestore rules that a project has, as JSON on the last line: { "rules": "…" }, null where it has none.
// firebase-tools has no command for it, so this asks its own (pinned) client, signed in as the command is.
import { createRequire } from 'node:module';

interface RulesClient {
  listAllReleases(
    project: string,
  ): Promise<readonly { readonly name: string; readonly rulesetName: string }[]>;
  getLatestRulesetName(
    project: string,
    service: string,
    releases: readonly unknown[],
  ): Promise<string | null>;
  getRulesetContent(name: string): Promise<readonly { readonly content: string }[]>;
}
interface Authenticator {
  requireAuth(options: { readonly project: string; readonly nonInteractive: boolean }): Promise<unknown>;
}

const require = createRequire(import.meta.url);
const project = process.argv[2] ?? '';
try {
  const { requireAuth }: Authenticator = require('firebase-tools/lib/requireAuth');
  const rules: RulesClient = require('firebase-tools/lib/gcp/rules');
  await requireAuth({ project, nonInteractive: true });
  const releases = await rules.listAllReleases(project);
  const name = await rules.getLatestRulesetName(project, 'cloud.firestore', releases);
  const files = name === null ? [] : await rules.getRulesetContent(name);
  console.log(
    JSON.stringify({ rules: name === null ? null : files.map(({ content }) => content).join('\n') }),
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
