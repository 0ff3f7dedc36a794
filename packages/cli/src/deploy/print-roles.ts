// The roles that a project gives to the account that its functions run and are built as, as JSON on the last line:
// { "account": "…", "roles": ["roles/…"] }. firebase-tools has no command for it, so this asks its own (pinned) client,
// signed in as the command is.
import { createRequire } from 'node:module';

interface Authenticator {
  requireAuth(options: { readonly project: string; readonly nonInteractive: boolean }): Promise<unknown>;
}
interface Projects {
  getProject(project: string): Promise<{ readonly projectNumber: string }>;
}
interface ComputeEngine {
  getDefaultServiceAccount(projectNumber: string): Promise<string>;
}
interface ResourceManager {
  getIamPolicy(project: string): Promise<{
    readonly bindings?: readonly { readonly role: string; readonly members?: readonly string[] }[];
  }>;
}

const require = createRequire(import.meta.url);
const project = process.argv[2] ?? '';
try {
  const { requireAuth }: Authenticator = require('firebase-tools/lib/requireAuth');
  const projects: Projects = require('firebase-tools/lib/management/projects');
  const computeEngine: ComputeEngine = require('firebase-tools/lib/gcp/computeEngine');
  const resourceManager: ResourceManager = require('firebase-tools/lib/gcp/resourceManager');
  await requireAuth({ project, nonInteractive: true });
  const { projectNumber } = await projects.getProject(project);
  const account = await computeEngine.getDefaultServiceAccount(projectNumber);
  const { bindings = [] } = await resourceManager.getIamPolicy(project);
  const member = `serviceAccount:${account}`;
  const roles = bindings.filter(({ members = [] }) => members.includes(member)).map(({ role }) => role);
  console.log(JSON.stringify({ account, roles }));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
