// npx vitest run --project adopters e2e/wxt: installs wxt from the registry.
import { describeTool } from './adopters/follow-init.ts';
import { wxtProject } from './adopters/wxt-projects.ts';

describeTool('wxt', wxtProject);
