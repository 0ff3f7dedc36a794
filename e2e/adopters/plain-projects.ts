import { asJson, writeFiles } from './project.ts';

/** Extensions without a bundler, as their authors had them: each answers a message of its own, and shows it in its popup. */
export const PLAIN = {
  'a module worker': { type: 'module' },
  'a classic worker': {},
} as const;

const POPUP = `<!doctype html>
<html>
  <body>
    <button id="count">Clicked 0 times</button>
    <script src="popup.js"></script>
  </body>
</html>
`;

const POPUP_SCRIPT = `let count = 0;
document.getElementById('count').addEventListener('click', async ({ target }) => {
  count = await chrome.runtime.sendMessage({ type: 'next', after: count });
  target.textContent = \`Clicked \${count} times\`;
});
`;

const ANSWER = `chrome.runtime.onMessage.addListener((message, sender, sendResponse) => {
  if (message.type === 'next') sendResponse(next(message.after));
});
`;
const NEXT = 'const next = (count) => count + 1;\n';

/** @param background what its manifest says of the worker beside its file */
export async function makePlain(folder: string, background: { readonly type?: 'module' }): Promise<void> {
  const isModule = background.type === 'module';
  await writeFiles(folder, {
    'manifest.json': asJson({
      manifest_version: 3,
      name: 'Counts',
      version: '1.0',
      background: { service_worker: 'scripts/worker.js', ...background },
      action: { default_popup: 'popup.html' },
      content_security_policy: { extension_pages: "default-src 'self'" },
    }),
    'popup.html': POPUP,
    'popup.js': POPUP_SCRIPT,
    'scripts/next.js': isModule ? `export ${NEXT}` : NEXT,
    'scripts/worker.js': isModule
      ? `// Counts.\nimport { next } from './next.js';\n\n${ANSWER}`
      : `'use strict';\nimportScripts('next.js');\n${ANSWER}`,
  });
}
