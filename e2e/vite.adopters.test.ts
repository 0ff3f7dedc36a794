// npx vitest run --project adopters e2e/vite: installs vite from the registry.
import { describeTool } from './adopters/follow-init.ts';
import { viteProject } from './adopters/vite-projects.ts';

describeTool('vite', viteProject);
