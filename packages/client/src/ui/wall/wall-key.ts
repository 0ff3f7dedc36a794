/** Key in `chrome.storage.local`, of the user interface's own: every surface and a reopened popup agree through it. */
export const WALL_KEY = 'billingTopUpWall';
