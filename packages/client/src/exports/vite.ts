/** For `vite.config.ts`: a content script in one file, and a worker without what the background never runs. */
export { contentScript } from '../content-script.ts';
export { smallFirebase } from '../patches/small-firebase.ts';
