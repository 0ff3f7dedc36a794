import { postCommand } from './server.js';

/** @param {HTMLInputElement | HTMLSelectElement | HTMLButtonElement} field */
function fieldValue(field) {
  if (field instanceof HTMLInputElement && field.type === 'checkbox') return field.checked;
  const text = field.value.trim();
  switch (field.dataset.kind) {
    case 'boolean':
      return text === 'true';
    case 'number':
      return Number(text);
    case 'minor':
      return Math.round(Number(text.replace(',', '.')) * 10 ** Number(field.dataset.digits));
    default:
      return text;
  }
}

/**
 * A form's fields as the body of its command. An empty field is left out; of several buttons only the pressed
 * one counts.
 * @param {HTMLFormElement} form @param {HTMLElement | null} submitter
 */
export function commandBody(form, submitter) {
  /** @type {Record<string, unknown>} */
  const body = {};
  for (const field of form.elements) {
    const known =
      field instanceof HTMLInputElement ||
      field instanceof HTMLSelectElement ||
      field instanceof HTMLButtonElement;
    if (!known || field.name === '' || field.value.trim() === '') continue;
    if (field instanceof HTMLButtonElement && field !== submitter) continue;
    body[field.name] = fieldValue(field);
  }
  return body;
}

/**
 * Sends each submitted command form as JSON, says what came of it, and asks for a refresh.
 * @param {(text: string, failed: boolean) => void} say @param {() => Promise<void>} refresh
 */
export function serveCommands(say, refresh) {
  document.addEventListener('submit', async (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.path === undefined) return;
    event.preventDefault();
    if (form.dataset.busy) return;
    form.dataset.busy = 'true';
    try {
      await postCommand(form.dataset.path, commandBody(form, event.submitter));
      say(form.dataset.done ?? 'Done.', false);
      form.querySelector('details')?.removeAttribute('open');
      for (const input of form.querySelectorAll('input.amount')) {
        if (input instanceof HTMLInputElement) input.value = '';
      }
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), true);
    } finally {
      delete form.dataset.busy;
    }
    await refresh();
  });
}
