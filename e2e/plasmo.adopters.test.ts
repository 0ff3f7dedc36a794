// npx vitest run --project adopters e2e/plasmo: installs plasmo from the registry.
import { describeTool } from './adopters/follow-init.ts';
import { plasmoProject } from './adopters/plasmo-projects.ts';

describeTool('plasmo', plasmoProject);
