// npx vitest run --project adopters e2e/crxjs: installs crxjs from the registry.
import { describeTool } from './adopters/follow-init.ts';
import { crxjsProject } from './adopters/vite-projects.ts';

describeTool('crxjs', crxjsProject);
