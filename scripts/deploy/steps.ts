import { FUNCTION_NAME, REGION } from '../suite/settings.ts';

/** What the deployment of the function, the rules, the TTL policies and the return pages runs. */
export const DEPLOY = ['firebase', 'deploy', '--only', 'functions,firestore,hosting', '--project'] as const;

export const ACCESS = ['firebase', 'functions:secrets:access'] as const;

/** The deployed function's address, known before it is deployed. */
export function serviceUrl(project: string): string {
  return `https://${REGION}-${project}.cloudfunctions.net/${FUNCTION_NAME}`;
}

/** Every step of a deployment in its order, for a dry run. */
export function planOf(project: string, packed: readonly string[]): readonly string[] {
  const url = serviceUrl(project);
  return [
    ...['PAYMENT_SECRET_KEY', 'PAYMENT_WEBHOOK_SECRET'].map(
      (name) => `${ACCESS.join(' ')} ${name} --project ${project}   (checked, never shown)`,
    ),
    `${DEPLOY.join(' ')} ${project}`,
    `  its predeploy hook: npm run build --workspace functions`,
    `  uploads functions/dist: ${packed.join(', ')}`,
    '  Cloud Build: npm ci, then gcp-build (node warm-up.cjs)',
    '  firestore.rules, firestore.indexes.json (TTL policies), public/ to Hosting',
    `GET ${url}/credits/balance   (must answer 401)`,
  ];
}
