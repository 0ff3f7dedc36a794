import { keepPreviewOpen } from './keep-preview-open.ts';
import { accounts } from './states/accounts.ts';
import { plans } from './states/plans.ts';
import { walls } from './states/walls.ts';
import { whatIsKnown } from './states/what-is-known.ts';

const shown = keepPreviewOpen();
walls(shown);
plans(shown);
whatIsKnown(shown);
accounts(shown);
