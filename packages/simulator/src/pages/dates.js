// Plain JavaScript, because the dashboard's script runs the same functions in the browser.

const DAY = new Intl.DateTimeFormat('en-US', { dateStyle: 'long' });
const MOMENT = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'medium' });

export function formatDay(seconds) {
  return DAY.format(seconds * 1000);
}

export function formatMoment(seconds) {
  return MOMENT.format(seconds * 1000);
}

const TIME = new Intl.DateTimeFormat('en-US', { timeStyle: 'medium' });

export function formatTime(seconds) {
  return TIME.format(seconds * 1000);
}
