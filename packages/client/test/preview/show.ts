import { prepareState } from './prepare.ts';

const surface = prepareState().get('surface');
if (surface === 'popup') await import('../../../../extension/src/demo/popup/popup.tsx');
else if (surface === 'side-panel') await import('../../../../extension/src/demo/side-panel/side-panel.tsx');
else await import('../../../../extension/src/demo/options/options.tsx');
