import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { html, readAsset, renderPage, renderSimulationBanner, type SafeHtml } from './page.ts';

const IMPORT = /^import \{[^}]*\} from '([^']+)';\n/gm;

/**
 * One script out of a module and everything that it imports, each once and after what it needs: the modules keep
 * their names, so they only lose `import` and `export`. Names are unique across this folder's scripts; a clash
 * is a syntax error in the browser, and the tests parse the result.
 */
function bundleScript(entry: string): string {
  const included = new Set<string>();
  const parts: string[] = [];
  const include = (path: string): void => {
    if (included.has(path)) return;
    included.add(path);
    const source = readAsset(path);
    for (const [, specifier = ''] of source.matchAll(IMPORT)) {
      if (specifier !== 'idiomorph') include(posix.join(posix.dirname(path), specifier));
    }
    parts.push(`// ${path}\n${source.replace(IMPORT, '').replace(/^export /gm, '')}`);
  };
  include(entry);
  return parts.join('\n');
}

const STYLE = readAsset('styles/dashboard-objects.css') + readAsset('styles/dashboard.css');
/** What updates the page, as its package ships it for scripts that are no modules. */
const IDIOMORPH = readFileSync(new URL('idiomorph.min.js', import.meta.resolve('idiomorph')), 'utf8');
const SCRIPT = `${IDIOMORPH}\n${bundleScript('dashboard/main.js')}`;

const STEPS = [
  { name: 'days', value: 1, label: '1 day' },
  { name: 'days', value: 7, label: '7 days' },
  { name: 'months', value: 1, label: '1 month' },
  { name: 'months', value: 12, label: '1 year' },
] as const;

function renderClock(): SafeHtml {
  return html`<section class="clock" aria-labelledby="clock-title">
  <h2 id="clock-title">Clock</h2>
  <p class="now" id="now">…</p>
  <form class="command" data-path="/_sim/clock/advance" data-done="The clock was advanced.">
    <span class="muted" id="advance-label" title="And two hours, so that renewals leave their draft and are charged">Advance</span>
    <input type="hidden" name="seconds" value="7200" data-kind="number">
    ${STEPS.map((step) => html`<button class="small" name="${step.name}" value="${step.value}" data-kind="number" aria-describedby="advance-label">${step.label}</button>`)}
  </form>
  <form class="command" data-path="/_sim/clock/advance" data-done="The clock was advanced.">
    <label for="days">or days</label>
    <input id="days" class="amount" name="days" type="number" min="1" max="3660" required data-kind="number" autocomplete="off">
    <button class="small">Advance</button>
  </form>
  <form class="command" data-path="/_sim/reset" data-done="Everything was forgotten.">
    <details class="reset"><summary class="small">Reset…</summary>
      <div class="panel"><p>Forgets every customer, payment and event. Prices and endpoints stay.</p>
      <button class="small danger">Forget everything</button></div>
    </details>
  </form>
</section>`;
}

function renderDeliverySettings(): SafeHtml {
  return html`<div class="delivery-settings"><form id="delivery-mode" class="command" data-path="/_sim/delivery" data-done="Deliveries now follow these settings.">
  <label>Order <select name="order">
    <option value="second">in parallel</option><option value="fifo">as made</option><option value="reverse">reversed</option><option value="shuffle">shuffled</option>
  </select></label>
  <label>Copies <input class="copies" name="copies" type="number" min="1" max="10" required value="1" data-kind="number"></label>
  <label title="Keep every delivery back until it is sent below"><input type="checkbox" name="hold"> Hold</label>
  <label title="Lose every delivery; an event can still be resent"><input type="checkbox" name="drop"> Drop</label>
  <button class="small">Apply</button>
</form>
<form class="command" data-path="/_sim/flush" data-done="Held deliveries were sent.">
  <button class="small">Send held</button> <span class="muted" id="waiting"></span>
</form></div>`;
}

/**
 * The page to play with: everything in the simulated account, live, with the controls that change it. It holds
 * no data itself; its script asks the control routes under `/_sim` once a second while the page is visible.
 */
export function renderDashboard(): string {
  return renderPage({
    title: 'Payment simulator',
    style: STYLE,
    script: SCRIPT,
    body: html`${renderSimulationBanner()}
<header class="top"><h1>Payment simulator</h1>
<label class="find"><span class="hidden">Find a customer</span>
  <input id="find" type="search" placeholder="Find a customer: mail, name or id" autocomplete="off" spellcheck="false"></label>
${renderClock()}</header>
<div class="messages">
  <p id="unreachable" role="alert"></p>
  <p id="failed" role="alert"></p>
  <p id="said" role="status"></p>
</div>
<main class="board">
<div class="side">
  <section aria-labelledby="customers-title">
    <div class="section-head"><h2 id="customers-title">Customers</h2><p class="muted" id="found"></p></div>
    <div id="customers"><p class="empty">Loading…</p></div>
  </section>
  <section aria-labelledby="sessions-title">
    <h2 id="sessions-title">Checkout sessions</h2>
    <div id="sessions"><p class="empty">Loading…</p></div>
  </section>
  <section aria-labelledby="catalog-title">
    <h2 id="catalog-title">Catalog and endpoints</h2>
    <div id="catalog"><p class="empty">Loading…</p></div>
  </section>
</div>
<section class="side timeline" aria-labelledby="events-title">
  <div class="section-head"><h2 id="events-title">Timeline</h2>
    <label class="muted" for="all-events"><input type="checkbox" id="all-events"> <span id="unsent">Events that no endpoint takes</span></label></div>
  ${renderDeliverySettings()}
  <div id="events"><p class="empty">Loading…</p></div>
</section>
</main>`,
  });
}
