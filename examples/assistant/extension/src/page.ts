import { creditsView, snapshotStore } from '@extension-billing/client/content';
import { keepBillingAlive, send } from '@extension-billing/client/messages';
import OpenAI from 'openai';
import catalog from '../../billing.config.ts';
import type { Message } from '../../function/cost.ts';
import type { Receipt } from '../../function/reply.ts';
import { describeEstimate, describeReceipt, type Estimate, estimate, type OfferedModel } from './estimate.ts';

const [PACK] = catalog.packs;
/** The function's `/v1`. The manifest's `host_permissions` name its origin too. */
const assistantUrl: string = import.meta.env.VITE_ASSISTANT_URL ?? 'http://127.0.0.1:5070/v1';

const find = <Type extends Element>(selector: string, type: new () => Type): Type => {
  const element = document.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`assistant.html has no ${selector}.`);
  return element;
};
const balance = find('#balance', HTMLElement);
const signIn = find('#sign-in', HTMLFormElement);
const ask = find('#ask', HTMLFormElement);
const answers = find('#answers', HTMLElement);
const question = find('textarea', HTMLTextAreaElement);
const picked = find('select', HTMLSelectElement);
const submit = find('#ask [type=submit]', HTMLButtonElement);
const stop = find('#stop', HTMLButtonElement);
const signOut = find('#sign-out', HTMLButtonElement);
const refusal = find('#refusal', HTMLElement);

const snapshots = snapshotStore();
/** The conversation so far. Each question sends and pays for all of it. */
let messages: Message[] = [];
let models: readonly OfferedModel[] = [];
let isExpired = false;
let uid: string | null = null;

function show(): void {
  const snapshot = snapshots.get();
  const isSignedIn = snapshot !== null && snapshot.uid !== null && !isExpired;
  signIn.hidden = snapshot === null || isSignedIn;
  ask.hidden = !isSignedIn;
  signOut.hidden = !isSignedIn;
  const credits = creditsView(snapshot).balance;
  if (snapshot === null) balance.textContent = '…';
  else if (isExpired) balance.textContent = 'Your session has ended. Sign in again.';
  else if (!isSignedIn) balance.textContent = 'Sign in to ask.';
  else balance.textContent = credits === null ? 'No credits yet.' : `${credits} credits left`;
  // The next user must not see what this one asked.
  if (snapshot !== null && snapshot.uid !== uid) {
    uid = snapshot.uid;
    messages = [];
    answers.replaceChildren();
    question.value = '';
  }
}

/** What the conversation would cost with this question; null before the models are loaded, or without a question. */
function estimateNow(): Estimate | null {
  const model = models.find(({ id }) => id === picked.value);
  if (model === undefined || question.value === '') return null;
  return estimate([...messages, { role: 'user', text: question.value }], model);
}

function showEstimate(): void {
  const estimated = estimateNow();
  find('#estimate', HTMLElement).textContent = estimated === null ? '' : describeEstimate(estimated);
}

/** Gets a fresh token for each question: it expires within an hour. */
async function client(): Promise<OpenAI | null> {
  const token: unknown = await chrome.runtime.sendMessage({ type: 'assistantToken' });
  if (typeof token !== 'string') return null;
  // The token is the user's own, and this page is the user's browser.
  return new OpenAI({ apiKey: token, baseURL: assistantUrl, dangerouslyAllowBrowser: true });
}

async function answer(text: string): Promise<void> {
  // The asking user's. If another user signs in before the answer ends, `messages` is theirs.
  const conversation = messages;
  const openai = await client();
  if (conversation !== messages) return;
  if (openai === null) {
    refusal.textContent = 'Sign in again, then ask.';
    return;
  }
  conversation.push({ role: 'user', text });
  const shown = line(`You: ${text}\n\n`);
  const said = line('');
  const receipt = line('', 'receipt');
  try {
    const stream = await openai.chat.completions.create({
      model: picked.value,
      messages: conversation.map(({ role, text: content }) => ({ role, content })),
      stream: true,
    });
    stop.onclick = () => stream.controller.abort();
    for await (const chunk of stream) {
      said.textContent += chunk.choices[0]?.delta.content ?? '';
      // The function adds it to the last chunk.
      if ('billing' in chunk) receipt.textContent = describeReceipt(chunk.billing as Receipt);
    }
    if (receipt.textContent === '') receipt.textContent = 'Stopped. The part that arrived is charged.';
    if (conversation === messages) question.value = '';
  } catch (error) {
    if (conversation === messages) refusal.textContent = describeFailure(error);
    if (said.textContent === '') {
      shown.remove();
      conversation.pop();
      return;
    }
  }
  conversation.push({ role: 'assistant', text: said.textContent });
}

/** Returns the function's message, without the status that the package puts before it. */
function describeFailure(error: unknown): string {
  if (error instanceof OpenAI.APIError && typeof error.error === 'object' && error.error !== null) {
    const { code, message } = error.error as { readonly code?: unknown; readonly message?: unknown };
    if (code === 'context_length_exceeded') return describeEstimate({ most: 0, likely: 0, isTooLong: true });
    if (typeof message === 'string') return message;
  }
  return 'This did not work. Try again in a moment.';
}

function line(text: string, className = ''): HTMLElement {
  const element = document.createElement('p');
  element.textContent = text;
  element.className = className;
  answers.append(element);
  return element;
}

signIn.addEventListener('submit', async (event) => {
  event.preventDefault();
  const fields = new FormData(signIn, event.submitter);
  const credentials = { email: String(fields.get('email')), password: String(fields.get('password')) };
  const way = fields.get('way') === 'authSignUp' ? 'authSignUp' : 'authSignIn';
  const result = await send(way, credentials);
  refusal.textContent = result.ok ? '' : result.message;
});

ask.addEventListener('submit', async (event) => {
  event.preventDefault();
  const estimated = estimateNow();
  if (estimated?.isTooLong) {
    refusal.textContent = describeEstimate(estimated);
    return;
  }
  [submit.disabled, stop.hidden, refusal.textContent] = [true, false, ''];
  await answer(question.value);
  [submit.disabled, stop.hidden] = [false, true];
  showEstimate();
});
ask.addEventListener('input', showEstimate);

signOut.addEventListener('click', async () => {
  const result = await send('authSignOut', {});
  refusal.textContent = result.ok ? '' : result.message;
});

find('#buy', HTMLButtonElement).addEventListener('click', async () => {
  if (PACK === undefined) return;
  const result = await send('billingCheckout', { lookupKey: PACK.lookupKey });
  refusal.textContent = result.ok ? '' : result.message;
});

async function loadModels(): Promise<void> {
  try {
    const response = await fetch(`${assistantUrl}/models`);
    models = ((await response.json()) as { readonly data: readonly OfferedModel[] }).data;
    picked.replaceChildren(...models.map(({ id }) => new Option(id)));
  } catch {
    refusal.textContent = 'The assistant can’t be reached. Reload the page to retry.';
  }
}

snapshots.subscribe(show);
void snapshots.loaded.then(show);
void loadModels();
keepBillingAlive(({ expired }) => {
  isExpired = expired;
  show();
});
