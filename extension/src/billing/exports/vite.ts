/** For `vite.config.ts`: leaves out of the bundle what the background never runs. */
export { smallFirebase } from '../vite/small-firebase.ts';
