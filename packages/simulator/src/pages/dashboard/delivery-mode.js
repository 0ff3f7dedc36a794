/** @typedef {import('./state.d.ts').DeliveryMode} DeliveryMode */

let shownMode = '';

/**
 * Puts the mode in force into its form, when it has changed: what a person is setting meanwhile stays.
 * @param {DeliveryMode} mode
 */
export function showDeliveryMode(mode) {
  const text = JSON.stringify(mode);
  if (text === shownMode) return;
  shownMode = text;
  const form = /** @type {HTMLFormElement} */ (document.getElementById('delivery-mode'));
  for (const field of form.elements) {
    if (field instanceof HTMLSelectElement && field.name === 'order') field.value = mode.order;
    if (!(field instanceof HTMLInputElement)) continue;
    if (field.name === 'copies') field.value = String(mode.copies);
    if (field.name === 'hold') field.checked = mode.hold;
    if (field.name === 'drop') field.checked = mode.drop !== false && mode.drop !== 0;
  }
}
