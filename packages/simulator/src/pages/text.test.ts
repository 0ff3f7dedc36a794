import { describe, expect, it } from 'vitest';
import { formatMoney } from './money.js';
import { html } from './page.ts';

describe('money', () => {
  it.each([
    [500, 'usd', '$5.00'],
    [500, 'jpy', '¥500'],
    [500, 'mga', 'MGA 500'],
    [123_456, 'ugx', 'UGX 1,234.56'],
    [1234, 'kwd', 'KWD 1.234'],
    [-250, 'eur', '-€2.50'],
  ])('writes %i %s as %s', (amount, currency, text) => {
    expect(formatMoney(amount, currency).replace(/\u00a0/g, ' ')).toBe(text);
  });
});

describe('html', () => {
  it('escapes text, keeps markup, joins lists and drops nothings', () => {
    const inner = html`<b>${'<&>'}</b>`;
    expect(html`<p title="${`"'`}">${[inner, 0, null, false, undefined, '']}</p>`.markup).toBe(
      '<p title="&quot;&#39;"><b>&lt;&amp;&gt;</b>0</p>',
    );
  });
});
